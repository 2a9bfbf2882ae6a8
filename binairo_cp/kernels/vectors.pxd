# The widest vectors of the processor's level, with the operators of C. MSVC has none: there, a vector is a word.
cdef extern from *:
    """
    #include <string.h>
    #if defined(__AVX512F__)
    #define BINAIRO_VECTOR 64
    #elif defined(__AVX2__)
    #include <immintrin.h>
    #define BINAIRO_VECTOR 32
    #elif defined(__GNUC__)
    #define BINAIRO_VECTOR 16
    #else
    #define BINAIRO_VECTOR 8
    #endif
    #if BINAIRO_VECTOR > 8
    typedef unsigned long long binairo_vector __attribute__((vector_size(BINAIRO_VECTOR)));
    #else
    typedef unsigned long long binairo_vector;
    #endif
    static inline binairo_vector binairo_none(void) {
        const binairo_vector zero = {0};
        return zero;
    }
    static inline binairo_vector binairo_every(void) {
        return ~binairo_none();
    }
    static inline int binairo_any(binairo_vector v) {
    #if defined(__AVX2__) && !defined(__AVX512F__)
        return !_mm256_testz_si256((__m256i)v, (__m256i)v);
    #else
        unsigned long long words[BINAIRO_VECTOR / 8], any = 0;
        int k;
        memcpy(words, &v, sizeof v);
        for (k = 0; k < BINAIRO_VECTOR / 8; k++) any |= words[k];
        return any != 0;
    #endif
    }
    #define binairo_aligned(bytes) ((bytes) + (-(size_t)(bytes) % BINAIRO_VECTOR))
    #define binairo_get(bytes, k) (((const binairo_vector *)(bytes))[k])
    #define binairo_put(bytes, k, v) (((binairo_vector *)(bytes))[k] = (v))
    """
    ctypedef unsigned long long Lanes "binairo_vector"
    const Py_ssize_t VECTOR "BINAIRO_VECTOR"
    Lanes none "binairo_none"() noexcept nogil
    Lanes every "binairo_every"() noexcept nogil
    bint any_of "binairo_any"(Lanes lanes) noexcept nogil
    unsigned char *aligned "binairo_aligned"(unsigned char *data) noexcept nogil
    Lanes get "binairo_get"(unsigned char *data, Py_ssize_t k) noexcept nogil
    void put "binairo_put"(unsigned char *data, Py_ssize_t k, Lanes lanes) noexcept nogil
