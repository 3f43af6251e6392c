// libtorch, from one place: its headers are large, warn, and are compiled once as a precompiled header.
#pragma once

#include <torch/torch.h>
