/* The processor's level, compiled for the oldest one: whether the other modules may be loaded.

The compiled kernels for x86-64 use the instructions of its level 2 (popcnt, SSE4.2; 2008) or 3
(AVX2, FMA, BMI, LZCNT, MOVBE; 2013), as the flags in build_tools/kernels.py say. On all other
processors, they use no more than what each has: this is level 2. KERNELS is the number of compiled
kernels. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#include <cpuid.h>

/* Ask the processor itself: with zig, __builtin_cpu_supports says no to everything. */
static int level(void) {
    unsigned a, b, c, d, saved, rest;
    if (!__get_cpuid(1, &a, &b, &c, &d) || ~c & (bit_POPCNT | bit_SSE4_2)) return 1;
    if (~c & (bit_OSXSAVE | bit_AVX | bit_FMA | bit_MOVBE)) return 2;
    /* Without LZCNT, a processor runs it as another instruction, with another result. */
    if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || ~c & bit_ABM) return 2;
    /* Whether the system saves the vectors of AVX. */
    __asm__("xgetbv" : "=a"(saved), "=d"(rest) : "c"(0));
    return (saved & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d)
        && !(~b & (bit_AVX2 | bit_BMI | bit_BMI2)) ? 3 : 2;
}
#else
static int level(void) {
    return 2;
}
#endif

static int fill(PyObject *module) {
    return PyModule_AddIntConstant(module, "LEVEL", level())
        || PyModule_AddIntConstant(module, "KERNELS", KERNELS) ? -1 : 0;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "processor", "The processor's level.", 0, NULL, slots, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit_processor(void) {
    return PyModuleDef_Init(&definition);
}
