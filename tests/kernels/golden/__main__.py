"""Write the results of areas anew."""

import sys

from tests.kernels import golden

for area in sys.argv[1:] or golden.areas():
    golden.write(area)
