# Sorting words with the C library.
cdef extern from *:
    """
    #include <stdlib.h>
    static int binairo_compare(const void *a, const void *b) {
        const unsigned long long one = *(const unsigned long long *)a, other = *(const unsigned long long *)b;
        return (one > other) - (one < other);
    }
    static void binairo_sort(unsigned long long *words, Py_ssize_t count) {
        qsort(words, (size_t)count, sizeof *words, binairo_compare);
    }
    """
    void sort_first "binairo_sort"(unsigned long long *words, Py_ssize_t count) noexcept nogil
