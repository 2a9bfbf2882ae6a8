/* The processor's level, compiled for the oldest one: whether the other modules may be loaded.

The compiled kernels for x86-64 use the instructions of its level 2 (popcnt, SSE4.2; 2008) or 3
(AVX2, BMI; 2013). On all other processors, they use no more than what each has: this is level 2. KERNELS is the number
of compiled kernels. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

static int level(void) {
#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("popcnt") || !__builtin_cpu_supports("sse4.2")) return 1;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") ? 3 : 2;
#else
    return 2;
#endif
}

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
