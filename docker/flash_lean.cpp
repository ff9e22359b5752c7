// flash-attn's entry points over the kernels that flash_lean.py compiles: bf16, heads of width 32, 64 and 128.
// What was not compiled ends in a sentence, where flash-attn's own switches would ask the linker for it.
#include <torch/python.h>

#include <cutlass/numeric_types.h>

#include "namespace_config.h"
#include "flash.h"
#include "static_switch.h"

#undef FP16_SWITCH
#define FP16_SWITCH(IS_FP16, ...)                                                         \
  [&] {                                                                                   \
    TORCH_CHECK(!(IS_FP16), "this flash-attn was compiled for bf16, not for fp16.");      \
    using elem_type = cutlass::bfloat16_t;                                                \
    return __VA_ARGS__();                                                                 \
  }()

#undef HEADDIM_SWITCH
#define HEADDIM_SWITCH(WIDTH, ...)                                                        \
  [&] {                                                                                   \
    if (WIDTH == 32) {                                                                    \
      constexpr static int kHeadDim = 32;                                                 \
      return __VA_ARGS__();                                                               \
    } else if (WIDTH == 64) {                                                             \
      constexpr static int kHeadDim = 64;                                                 \
      return __VA_ARGS__();                                                               \
    } else if (WIDTH == 128) {                                                            \
      constexpr static int kHeadDim = 128;                                                \
      return __VA_ARGS__();                                                               \
    }                                                                                     \
    TORCH_CHECK(false, "this flash-attn was compiled for heads of width 32, 64 and 128, not ", WIDTH, "."); \
  }()

namespace FLASH_NAMESPACE {
template <typename T, int Headdim, bool Is_causal>
void run_mha_fwd_splitkv_dispatch(Flash_fwd_params &, cudaStream_t) {
  TORCH_CHECK(false, "this flash-attn was compiled without split keys (a cache of keys and values).");
}
}  // namespace FLASH_NAMESPACE

#include "flash_api.cpp"
