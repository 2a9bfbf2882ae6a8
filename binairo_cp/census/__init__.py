"""How many solved boards a size has.

A board is cut after its middle row, and halves that fit are counted together, class by class:
`sizes` says what the classes are, `halves` lists the halves of one, `joining` joins them.
`counting` adds up, `states` keeps what is finished, `forecast` tells how long it takes, `orbits`
counts up to symmetry, and `estimating` tells about how many there are where none can count.
"""
