// What we use of libtorch, in one place: its headers are large and cause warnings, and are compiled once as a
// precompiled header. The rest of <torch/torch.h> (layers, optimisers, data loaders) would take as long again.
#pragma once

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>
