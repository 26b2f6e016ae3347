// Kernels that compiled functions know, with their parameters. Files that are compiled once per
// instruction set share this header: no functions but constexpr ones.
#pragma once

namespace bandsvm {

enum class KernelKind { linear, rbf, poly, sigmoid, laplacian, chi2 };

struct Kernel {
  KernelKind kind;
  double gamma, coef0;
  int degree;
};

struct KernelName {
  KernelKind kind;
  const char* name;
};
constexpr KernelName kKernelNames[] = {
    {KernelKind::linear, "linear"},       {KernelKind::rbf, "rbf"},
    {KernelKind::poly, "poly"},           {KernelKind::sigmoid, "sigmoid"},
    {KernelKind::laplacian, "laplacian"}, {KernelKind::chi2, "chi2"}};

// Kernels of kernel_rows.hpp: functions of inner products and lengths.
constexpr bool has_rows(KernelKind kind) {
  return kind != KernelKind::laplacian && kind != KernelKind::chi2;
}
// Kernels of exact_values.hpp. The linear one needs no kernel values: it has weights.
constexpr bool has_definition(KernelKind kind) { return kind != KernelKind::linear; }

}  // namespace bandsvm
