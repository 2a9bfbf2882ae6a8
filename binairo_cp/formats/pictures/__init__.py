"""Read a puzzle from a picture of its board, such as a screenshot; needs the extra ``pictures``.

The lattice is found by its lines or gaps, symbols and signs by their shape and colour. Nothing is
guessed: what is unclear is an error that names the cells. An answer can be drawn over the picture.
"""
