"""Fixed work for the compiled kernels: a module for each area, with a function `work`.

`work` returns a dict: a name, and a function without arguments that does the work once.
"""
