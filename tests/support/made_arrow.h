// Arrow streams made by hand, layout by layout. A batch that was released is gone, so that a sanitizer sees whoever
// looks at it later; the stream counts what was released.
#pragma once

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/arrow_abi.h"

namespace chronoveil::testing {

using ArrowBytes = std::vector<char>;

template <class T>
ArrowBytes bytes_of(const std::vector<T>& values) {
  ArrowBytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

struct MadeColumn {
  std::string name, format;
  std::int64_t length = 0, offset = 0, nulls = 0;
  std::vector<ArrowBytes> buffers;  // an empty one is a null pointer
  std::shared_ptr<MadeColumn> dictionary = nullptr;
  std::vector<MadeColumn> children = {};

  // The rows from `first` on, `rows` of them, of the same buffers.
  MadeColumn slice(std::int64_t first, std::int64_t rows) const {
    MadeColumn part = *this;
    part.offset = offset + first;
    part.length = rows;
    return part;
  }
  MadeColumn with_nulls(const std::vector<bool>& present) const {
    MadeColumn marked = *this;
    std::vector<std::uint8_t> bits((present.size() + 7) / 8);
    for (std::size_t i = 0; i < present.size(); ++i) {
      if (present[i]) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1U << (i % 8));
      if (!present[i]) ++marked.nulls;
    }
    marked.buffers[0] = bytes_of(bits);
    return marked;
  }
};

template <class T>
MadeColumn numbers(std::string name, std::string format, const std::vector<T>& values) {
  return {std::move(name), std::move(format), static_cast<std::int64_t>(values.size()), 0, 0, {{}, bytes_of(values)}};
}

template <class Offset = std::int32_t>
MadeColumn texts(std::string name, const std::vector<std::string>& values) {
  std::vector<Offset> offsets{0};
  std::string all;
  for (const std::string& value : values) offsets.push_back(static_cast<Offset>((all += value).size()));
  return {std::move(name),
          sizeof(Offset) == 4 ? "u" : "U",
          static_cast<std::int64_t>(values.size()),
          0,
          0,
          {{}, bytes_of(offsets), ArrowBytes(all.begin(), all.end())}};
}

// Long ones in two buffers in turn.
inline MadeColumn text_views(std::string name, const std::vector<std::string>& values) {
  ArrowBytes views(16 * values.size()), data[2];
  for (std::size_t i = 0; i < values.size(); ++i) {
    char* const view = views.data() + 16 * i;
    const auto length = static_cast<std::int32_t>(values[i].size());
    std::memcpy(view, &length, 4);
    if (length <= 12) {
      std::memcpy(view + 4, values[i].data(), values[i].size());
      continue;
    }
    const auto buffer = static_cast<std::int32_t>(i % 2), offset = static_cast<std::int32_t>(data[buffer].size());
    std::memcpy(view + 4, values[i].data(), 4);
    std::memcpy(view + 8, &buffer, 4);
    std::memcpy(view + 12, &offset, 4);
    data[buffer].insert(data[buffer].end(), values[i].begin(), values[i].end());
  }
  const std::vector<std::int64_t> lengths = {static_cast<std::int64_t>(data[0].size()),
                                             static_cast<std::int64_t>(data[1].size())};
  return {std::move(name),
          "vu",
          static_cast<std::int64_t>(values.size()),
          0,
          0,
          {{}, std::move(views), std::move(data[0]), std::move(data[1]), bytes_of(lengths)}};
}

template <class Index>
MadeColumn dictionary(std::string name, std::string format, const std::vector<Index>& indices, MadeColumn entries) {
  MadeColumn column = numbers(std::move(name), std::move(format), indices);
  column.dictionary = std::make_shared<MadeColumn>(std::move(entries));
  return column;
}

using MadeBatch = std::vector<MadeColumn>;

inline MadeColumn record_batch(MadeBatch columns) {
  const std::int64_t rows = columns.empty() ? 0 : columns.front().length;
  return {"", "+s", rows, 0, 0, {{}}, nullptr, std::move(columns)};
}

class MadeStream {
 public:
  explicit MadeStream(std::vector<MadeBatch> batches) {
    for (MadeBatch& batch : batches) batches_.push_back(record_batch(std::move(batch)));
  }

  // It must outlive what is made here.
  ArrowArrayStream stream() {
    return {[](ArrowArrayStream* stream, ArrowSchema* out) { return self(stream).get_schema(out); },
            [](ArrowArrayStream* stream, ArrowArray* out) { return self(stream).get_next(out); },
            [](ArrowArrayStream*) { return "secret words"; },
            [](ArrowArrayStream* stream) {
              ++self(stream).released;
              stream->release = nullptr;
            },
            this};
  }
  static void make_schema(const MadeColumn& column, ArrowSchema* out) { fill(new SchemaNode{column, {}, {}, {}}, out); }
  static void make_array(const MadeColumn& column, ArrowArray* out, int* count = nullptr) {
    fill(new ArrayNode{column, {}, {}, {}, {}, count}, out);
  }

  int released = 0, asked = 0, batches_released = 0;
  int fails_after = -1, error = EIO;        // batches before get_next fails
  std::function<void(ArrowArray&)> damage;  // of each batch, before it is handed out
  MadeColumn schema() const { return batches_.front(); }

 private:
  struct SchemaNode {
    MadeColumn column;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> pointers;
    ArrowSchema dictionary;
  };
  struct ArrayNode {
    MadeColumn column;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> pointers;
    std::vector<const void*> buffers;
    ArrowArray dictionary;
    int* released;
  };

  static MadeStream& self(ArrowArrayStream* stream) { return *static_cast<MadeStream*>(stream->private_data); }

  static void fill(SchemaNode* node, ArrowSchema* out) {
    *out = {};
    out->format = node->column.format.c_str();
    out->name = node->column.name.c_str();
    node->children.resize(node->column.children.size());
    for (std::size_t i = 0; i < node->children.size(); ++i) {
      make_schema(node->column.children[i], &node->children[i]);
      node->pointers.push_back(&node->children[i]);
    }
    out->n_children = static_cast<std::int64_t>(node->children.size());
    out->children = node->pointers.data();
    if (node->column.dictionary) {
      make_schema(*node->column.dictionary, &node->dictionary);
      out->dictionary = &node->dictionary;
    }
    out->private_data = node;
    out->release = [](ArrowSchema* schema) {
      auto* const held = static_cast<SchemaNode*>(schema->private_data);
      for (ArrowSchema& child : held->children) child.release(&child);
      if (schema->dictionary != nullptr) schema->dictionary->release(schema->dictionary);
      delete held;
      schema->release = nullptr;
    };
  }

  static void fill(ArrayNode* node, ArrowArray* out) {
    *out = {};
    out->length = node->column.length;
    out->offset = node->column.offset;
    out->null_count = node->column.nulls;
    for (const ArrowBytes& buffer : node->column.buffers)
      node->buffers.push_back(buffer.empty() ? nullptr : buffer.data());
    out->n_buffers = static_cast<std::int64_t>(node->buffers.size());
    out->buffers = node->buffers.data();
    node->children.resize(node->column.children.size());
    for (std::size_t i = 0; i < node->children.size(); ++i) {
      make_array(node->column.children[i], &node->children[i]);
      node->pointers.push_back(&node->children[i]);
    }
    out->n_children = static_cast<std::int64_t>(node->children.size());
    out->children = node->pointers.data();
    if (node->column.dictionary) {
      make_array(*node->column.dictionary, &node->dictionary);
      out->dictionary = &node->dictionary;
    }
    out->private_data = node;
    out->release = [](ArrowArray* array) {
      auto* const held = static_cast<ArrayNode*>(array->private_data);
      for (ArrowArray& child : held->children) child.release(&child);
      if (held->column.dictionary) held->dictionary.release(&held->dictionary);
      if (held->released != nullptr) ++*held->released;
      delete held;
      array->release = nullptr;
    };
  }

  int get_schema(ArrowSchema* out) const {
    make_schema(batches_.front(), out);
    return 0;
  }

  int get_next(ArrowArray* out) {
    *out = {};
    if (asked == fails_after) return error;
    if (asked == static_cast<int>(batches_.size())) return 0;
    make_array(batches_[static_cast<std::size_t>(asked++)], out, &batches_released);
    if (damage) damage(*out);
    return 0;
  }

  std::vector<MadeColumn> batches_;
};

}  // namespace chronoveil::testing
