// The kernels of the resident engine, compiled by NVRTC when a device is opened: once for f32, or with -DBF16 for rows of
// bfloat16 with sums in f32. Every kernel is right for any grid and any power of two of threads, so that it can also be
// run on a host, and adds in an order that depends on the sizes alone, so that a step repeats itself to the bit.

typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef BF16
struct element { unsigned short bits; };
__device__ inline float get(const element *from, u64 at) { return __uint_as_float((u32)from[at].bits << 16); }
__device__ inline void put(element *to, u64 at, float value) {
  u32 bits = __float_as_uint(value);
  // round to nearest even; a not-a-number stays one
  bits = (bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : bits + 0x7fffu + ((bits >> 16) & 1u);
  to[at].bits = (unsigned short)(bits >> 16);
}
#else
typedef float element;
__device__ inline float get(const element *from, u64 at) { return from[at]; }
__device__ inline void put(element *to, u64 at, float value) { to[at] = value; }
#endif

#define KERNEL extern "C" __global__ void
#define THREADS 128
#define NONE 0xffffffffu

// Every element of a grid-stride loop.
#define EACH(index, count) (u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x; index < (count); index += (u64)gridDim.x * blockDim.x)
// Every row, one block each; every column of it, one thread each.
#define ROWS(row, count) (u64 row = blockIdx.x; row < (count); row += gridDim.x)
#define COLUMNS(column, count) (u32 column = threadIdx.x; column < (count); column += blockDim.x)

template <class T> __device__ inline T block_sum(T value, T *shared) {
  u32 thread = threadIdx.x;
  __syncthreads();
  shared[thread] = value;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half >>= 1) {
    if (thread < half) shared[thread] += shared[thread + half];
    __syncthreads();
  }
  return shared[0];
}

// A not-a-number wins, so that a model that blew up is seen.
__device__ inline float larger(float left, float right) { return right > left || right != right ? right : left; }

__device__ inline float block_maximum(float value, float *shared) {
  u32 thread = threadIdx.x;
  __syncthreads();
  shared[thread] = value;
  __syncthreads();
  for (u32 half = blockDim.x / 2; half > 0; half >>= 1) {
    if (thread < half) shared[thread] = larger(shared[thread], shared[thread + half]);
    __syncthreads();
  }
  return shared[0];
}

// Dropout: the masks of the native engine, a function of the step, the document, the site, the row and the column.
__device__ inline u64 mix(u64 value) {
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}
__device__ inline u32 row_key(u64 document, u64 site, u32 row) { return (u32)mix(mix(document ^ mix(site)) ^ row); }
__device__ inline bool keeps(u32 key, u32 column, u32 threshold) {
  u32 bits = key ^ (column * 0x9E3779B9u);
  bits = (bits ^ (bits >> 16)) * 0x7FEB352Du;
  bits = (bits ^ (bits >> 15)) * 0x846CA68Bu;
  return (bits ^ (bits >> 16)) >= threshold;
}

// Words, positions and, for a BERT, a token type.
KERNEL embed(const float *words, const float *positions, const float *kind, const u32 *ids, const u32 *places, element *out,
             u32 rows, u32 width) {
  for EACH(at, (u64)rows * width) {
    u64 row = at / width, column = at % width;
    float value = words[(u64)ids[row] * width + column] + positions[(u64)places[row] * width + column];
    put(out, at, kind ? value + kind[column] : value);
  }
}

// The gradient of each word in use: the sum over its tokens, in their order. `used` is null for compact rows.
KERNEL embed_backward(const element *gradient, const u32 *order, const u32 *starts, const u32 *used, float *out, u32 count,
                      u32 width, u32 adds) {
  for ROWS(word, count)
    for COLUMNS(column, width) {
      u64 to = (used ? (u64)used[word] : word) * width + column;
      float sum = adds ? out[to] : 0;
      for (u32 at = starts[word]; at < starts[word + 1]; at++) sum += get(gradient, (u64)order[at] * width + column);
      out[to] = sum;
    }
}

// The gradient of each position; documents are sorted, the longest first.
KERNEL positions_backward(const element *gradient, const u32 *starts, float *out, u32 documents, u32 positions, u32 width) {
  for ROWS(position, positions)
    for COLUMNS(column, width) {
      float sum = 0;
      for (u32 document = 0; document < documents && starts[document] + position < starts[document + 1]; document++)
        sum += get(gradient, (starts[document] + position) * width + column);
      out[position * width + column] = sum;
    }
}

KERNEL drop_rows(element *values, const u32 *documents, const u32 *places, const u64 *keys, u64 site, u32 threshold,
                 float scale, u32 rows, u32 width) {
  for ROWS(row, rows) {
    u32 key = row_key(keys[documents[row]], site, places[row]);
    for COLUMNS(column, width) {
      u64 at = row * width + column;
      put(values, at, keeps(key, column, threshold) ? get(values, at) * scale : 0);
    }
  }
}

// out = norm(dropout(branch + bias) + residual); branch becomes what is normalized. Keeps mean and reciprocal deviation.
KERNEL norm_forward(element *branch, const float *bias, const element *residual, const float *gains, element *out, float *statistics,
            const u32 *documents, const u32 *places, const u64 *keys, u64 site, u32 threshold, float scale, float epsilon,
            u32 rows, u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(row, rows) {
    u32 key = threshold ? row_key(keys[documents[row]], site, places[row]) : 0;
    float sum = 0;
    for COLUMNS(column, width) {
      u64 at = row * width + column;
      float value = get(branch, at) + (bias ? bias[column] : 0);
      if (threshold) value = keeps(key, column, threshold) ? value * scale : 0;
      if (residual) value += get(residual, at);
      put(branch, at, value);
      sum += get(branch, at);
    }
    float mean = block_sum(sum, shared) / width, squares = 0;
    for COLUMNS(column, width) {
      float apart = get(branch, row * width + column) - mean;
      squares += apart * apart;
    }
    float share = 1.0f / sqrtf(block_sum(squares, shared) / width + epsilon);
    for COLUMNS(column, width) {
      u64 at = row * width + column;
      put(out, at, (get(branch, at) - mean) * share * gains[column] + gains[width + column]);
    }
    if (threadIdx.x == 0) { statistics[2 * row] = mean; statistics[2 * row + 1] = share; }
  }
}

// The gradient of what was normalized, and of the branch where dropout makes it another one.
KERNEL norm_backward(const element *sums, const float *statistics, const float *gains, const element *gradient, element *by_sum,
                     element *by_branch, const u32 *documents, const u32 *places, const u64 *keys, u64 site, u32 threshold,
                     float scale, u32 rows, u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(row, rows) {
    float mean = statistics[2 * row], share = statistics[2 * row + 1], first = 0, second = 0;
    for COLUMNS(column, width) {
      u64 at = row * width + column;
      float slope = get(gradient, at) * gains[column];
      first += slope;
      second += slope * (get(sums, at) - mean) * share;
    }
    first = block_sum(first, shared) / width;
    second = block_sum(second, shared) / width;
    u32 key = by_branch ? row_key(keys[documents[row]], site, places[row]) : 0;
    for COLUMNS(column, width) {
      u64 at = row * width + column;
      float normalized = (get(sums, at) - mean) * share;
      float value = (get(gradient, at) * gains[column] - first - normalized * second) * share;
      put(by_sum, at, value);
      if (by_branch) put(by_branch, at, keeps(key, column, threshold) ? value * scale : 0);
    }
  }
}

// Sums of columns over blocks of rows, which `reduce` adds up.
KERNEL columns(const element *values, float *partial, u32 rows, u32 width, u32 block) {
  for ROWS(part, (rows + block - 1) / block)
    for COLUMNS(column, width) {
      float sum = 0;
      u64 end = (part + 1) * block < rows ? (part + 1) * block : rows;
      for (u64 row = part * block; row < end; row++) sum += get(values, row * width + column);
      partial[part * width + column] = sum;
    }
}
KERNEL norm_columns(const element *sums, const float *statistics, const element *gradient, float *partial, u32 rows, u32 width,
                    u32 block) {
  for ROWS(part, (rows + block - 1) / block)
    for COLUMNS(column, width) {
      float gain = 0, shift = 0;
      u64 end = (part + 1) * block < rows ? (part + 1) * block : rows;
      for (u64 row = part * block; row < end; row++) {
        float slope = get(gradient, row * width + column);
        gain += slope * (get(sums, row * width + column) - statistics[2 * row]) * statistics[2 * row + 1];
        shift += slope;
      }
      partial[part * 2 * width + column] = gain;
      partial[part * 2 * width + width + column] = shift;
    }
}
KERNEL reduce(const float *partial, float *out, u32 parts, u32 width) {
  for EACH(column, width) {
    float sum = 0;
    for (u32 part = 0; part < parts; part++) sum += partial[(u64)part * width + column];
    out[column] = sum;
  }
}

// 0: rectifier, 1: Gaussian error linear unit, 2: hyperbolic tangent. `values` become the biased input.
KERNEL activate(element *values, const float *bias, element *out, u32 kind, u32 rows, u32 width) {
  for EACH(at, (u64)rows * width) {
    float value = get(values, at) + bias[at % width];
    if (kind == 1) put(values, at, value);
    if (kind == 0) value = value < 0 ? 0 : value;
    if (kind == 1) value *= 0.5f * erfcf(-value * 0.70710678118654752f);
    if (kind == 2) value = tanhf(value);
    put(out, at, value);
  }
}
// Rectifier and hyperbolic tangent read their output, the Gaussian unit its input, whose output `again` receives.
KERNEL activate_backward(const element *values, element *gradient, element *again, u32 kind, u64 count) {
  for EACH(at, count) {
    float value = get(values, at), slope = get(gradient, at);
    if (kind == 0) slope = value > 0 ? slope : 0;
    if (kind == 1) {
      float share = 0.5f * erfcf(-value * 0.70710678118654752f);
      slope *= share + value * expf(-0.5f * value * value) * 0.39894228040143268f;
      if (again) put(again, at, value * share);
    }
    if (kind == 2) slope *= 1 - value * value;
    put(gradient, at, slope);
  }
}

// Rows of documents to padded heads: queries, keys and values of a group of documents, and back.
KERNEL split_heads(const element *rows, const float *bias, element *queries, element *keys, element *values, const u32 *starts,
                   u32 documents, u32 heads, u32 length, u32 key, u32 value, float scale) {
  u32 each = 2 * key + value, projected = heads * each;
  for EACH(at, (u64)documents * heads * length * each) {
    u32 column = at % each;
    u64 row = at / each % length, head = at / each / length % heads, document = at / each / length / heads;
    u64 padded = (document * heads + head) * length + row;
    u32 part = column < key ? 0 : column < 2 * key ? 1 : 2;
    u32 from = part == 0 ? head * key + column : part == 1 ? (heads + head) * key + column - key : (2 * heads) * key + head * value + column - 2 * key;
    float found = 0;
    if (starts[document] + row < starts[document + 1])
      found = get(rows, (starts[document] + row) * projected + from) + bias[from];
    if (part == 0) put(queries, padded * key + column, found * scale);
    else if (part == 1) put(keys, padded * key + column - key, found);
    else put(values, padded * value + column - 2 * key, found);
  }
}
KERNEL merge_heads(const element *queries, const element *keys, const element *values, element *rows, const u32 *starts,
                   u32 documents, u32 heads, u32 length, u32 key, u32 value, float scale) {
  u32 each = 2 * key + value, projected = heads * each;
  for EACH(at, (u64)documents * heads * length * each) {
    u32 column = at % each;
    u64 row = at / each % length, head = at / each / length % heads, document = at / each / length / heads;
    if (starts[document] + row >= starts[document + 1]) continue;
    u64 padded = (document * heads + head) * length + row, to = (starts[document] + row) * projected;
    if (column < key) put(rows, to + head * key + column, get(queries, padded * key + column) * scale);
    else if (column < 2 * key) put(rows, to + (heads + head) * key + column - key, get(keys, padded * key + column - key));
    else put(rows, to + 2 * heads * key + head * value + column - 2 * key, get(values, padded * value + column - 2 * key));
  }
}
KERNEL split_values(const element *rows, element *values, const u32 *starts, u32 documents, u32 heads, u32 length, u32 value) {
  for EACH(at, (u64)documents * heads * length * value) {
    u64 column = at % value, row = at / value % length, head = at / value / length % heads, document = at / value / length / heads;
    bool there = starts[document] + row < starts[document + 1];
    put(values, at, there ? get(rows, ((starts[document] + row) * heads + head) * value + column) : 0);
  }
}
KERNEL merge_values(const element *values, element *rows, const u32 *starts, u32 documents, u32 heads, u32 length, u32 value) {
  for EACH(at, (u64)documents * heads * length * value) {
    u64 column = at % value, row = at / value % length, head = at / value / length % heads, document = at / value / length / heads;
    if (starts[document] + row < starts[document + 1])
      put(rows, ((starts[document] + row) * heads + head) * value + column, get(values, at));
  }
}

// Attention weights of one group, in the place of the scores. With `dropped` also what dropout leaves of them, which may be
// the same place. Rows and columns of padding are zero.
KERNEL softmax(element *scores, element *dropped, const u32 *starts, const u64 *keys, u64 layer, u32 threshold, float scale,
               u32 documents, u32 heads, u32 length) {
  __shared__ float shared[THREADS];
  for ROWS(row, (u64)documents * heads * length) {
    u64 place = row % length, head = row / length % heads, document = row / length / heads, at = row * length;
    u32 there = starts[document + 1] - starts[document];
    if (place >= there) {
      for COLUMNS(column, length) { put(scores, at + column, 0); if (dropped) put(dropped, at + column, 0); }
      continue;
    }
    float most = -3.4e38f, sum = 0;
    for COLUMNS(column, there) most = larger(most, get(scores, at + column));
    most = block_maximum(most, shared);
    for COLUMNS(column, there) sum += expf(get(scores, at + column) - most);
    float share = 1.0f / block_sum(sum, shared);
    u32 key = threshold ? row_key(keys[document], layer | head, place) : 0;
    for COLUMNS(column, length) {
      float weight = column < there ? expf(get(scores, at + column) - most) * share : 0;
      put(scores, at + column, weight);
      if (dropped && threshold) put(dropped, at + column, keeps(key, column, threshold) ? weight * scale : 0);
    }
  }
}
KERNEL softmax_backward(const element *weights, element *gradient, const u32 *starts, const u64 *keys, u64 layer, u32 threshold,
                        float scale, u32 documents, u32 heads, u32 length) {
  __shared__ float shared[THREADS];
  for ROWS(row, (u64)documents * heads * length) {
    u64 place = row % length, head = row / length % heads, document = row / length / heads, at = row * length;
    u32 there = starts[document + 1] - starts[document], key = threshold ? row_key(keys[document], layer | head, place) : 0;
    float along = 0;
    if (place < there)
      for COLUMNS(column, there) {
        float slope = get(gradient, at + column);
        if (threshold) slope = keeps(key, column, threshold) ? slope * scale : 0;
        along += get(weights, at + column) * slope;
      }
    along = block_sum(along, shared);
    for COLUMNS(column, length) {
      float slope = get(gradient, at + column);
      if (threshold) slope = keeps(key, column, threshold) ? slope * scale : 0;
      put(gradient, at + column, place < there && column < there ? get(weights, at + column) * (slope - along) : 0);
    }
  }
}

// The greatest value of each column of a document. `longest` is 0, or the length from which no zero takes part.
KERNEL pool_maximum(const element *rows, float *out, u32 *winners, const u32 *starts, const u32 *order, u32 longest,
                    u32 documents, u32 width) {
  for EACH(at, (u64)documents * width) {
    u64 document = at / width, column = at % width;
    u32 first = starts[document], count = starts[document + 1] - first, winner = 0;
    float most = get(rows, first * (u64)width + column);
    for (u32 place = 1; place < count; place++) {
      float value = get(rows, (u64)(first + place) * width + column);
      if (value > most || (value != value && most == most)) { most = value; winner = place; }
    }
    if (count < longest && most < 0) { most = 0; winner = NONE; }
    out[(u64)order[document] * width + column] = most;
    winners[at] = winner;
  }
}
KERNEL pool_maximum_backward(const float *gradient, const u32 *winners, element *out, const u32 *documents, const u32 *places,
                             const u32 *order, u32 rows, u32 width) {
  for EACH(at, (u64)rows * width) {
    u64 row = at / width, column = at % width, document = documents[row];
    bool wins = winners[document * width + column] == places[row];
    put(out, at, wins ? gradient[(u64)order[document] * width + column] : 0);
  }
}
// The direction of the mean.
KERNEL pool_mean(const element *rows, float *out, float *means, const u32 *starts, const u32 *order, u32 documents, u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(document, documents) {
    float squares = 0;
    for COLUMNS(column, width) {
      float sum = 0;
      for (u64 row = starts[document]; row < starts[document + 1]; row++) sum += get(rows, row * width + column);
      sum /= starts[document + 1] - starts[document];
      means[document * width + column] = sum;
      squares += sum * sum;
    }
    float share = 1.0f / sqrtf(block_sum(squares, shared) + 1e-12f);
    for COLUMNS(column, width) out[(u64)order[document] * width + column] = means[document * width + column] * share;
  }
}
KERNEL pool_mean_backward(const float *gradient, const float *means, element *out, const u32 *starts, const u32 *order,
                          u32 documents, u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(document, documents) {
    float squares = 0, along = 0;
    for COLUMNS(column, width) {
      float mean = means[document * width + column];
      squares += mean * mean;
      along += mean * gradient[(u64)order[document] * width + column];
    }
    squares = block_sum(squares, shared) + 1e-12f;
    along = block_sum(along, shared) / squares;
    float share = 1.0f / (sqrtf(squares) * (starts[document + 1] - starts[document]));
    for COLUMNS(column, width) {
      float slope = (gradient[(u64)order[document] * width + column] - along * means[document * width + column]) * share;
      for (u64 row = starts[document]; row < starts[document + 1]; row++) put(out, row * width + column, slope);
    }
  }
}

// Unseen features have no row in the table. Their ids are hashes, from which 16 columns and signs follow: 15 bits and one bit
// each, in four words. The 8 kinds have a weight each, which are the last of all weights.
#define KINDS 8u
__device__ inline u32 unseen_kind(u32 id) { return (id & 0x7fffffffu) >> 28; }
__device__ inline u64 unseen_word(u32 id, u32 word) { return mix((u64)id << 8 | word); }
__device__ inline u32 unseen_column(u64 word, u32 part, u32 width) { return ((u32)(word >> (16 * part + 1)) & 0x7fffu) * width >> 15; }
__device__ inline float unseen_sign(u64 word, u32 part) { return word >> (16 * part) & 1 ? -1.0f : 1.0f; }

// A bag of features: the direction of the weighted sum of a text's rows, and the length of that sum. Unseen features follow the
// `known` ones, and each thread adds the entries of its own columns, in their order.
KERNEL bag(const float *table, const float *weights, const u32 *ids, const float *shares, float *out, float *lengths,
           const u32 *starts, const u32 *known, const u32 *order, u32 documents, u32 width, u32 vocabulary) {
  __shared__ float shared[THREADS];
  __shared__ u64 words[THREADS];
  for ROWS(document, documents) {
    u64 to = (u64)order[document] * width;
    for COLUMNS(column, width) {
      float sum = 0;
      for (u32 at = starts[document]; at < known[document]; at++)
        sum += shares[at] * weights[ids[at]] * table[(u64)ids[at] * width + column];
      out[to + column] = sum;
    }
    u32 first = known[document], count = 4 * (starts[document + 1] - first);
    for (u32 base = 0; base < count; base += blockDim.x) {
      u32 entry = base + threadIdx.x, some = count - base < blockDim.x ? count - base : blockDim.x;
      __syncthreads();
      if (entry < count) {
        u32 at = first + entry / 4;
        words[threadIdx.x] = unseen_word(ids[at], entry % 4);
        shared[threadIdx.x] = 0.25f * shares[at] * weights[vocabulary - KINDS + unseen_kind(ids[at])];
      }
      __syncthreads();
      for (u32 each = 0; each < some; each++)
        for (u32 part = 0; part < 4; part++) {
          u32 column = unseen_column(words[each], part, width);
          if (column % blockDim.x == threadIdx.x) out[to + column] += unseen_sign(words[each], part) * shared[each];
        }
    }
    float squares = 0;
    for COLUMNS(column, width) squares += out[to + column] * out[to + column];
    float length = sqrtf(block_sum(squares, shared));
    if (length != 0)
      for COLUMNS(column, width) out[to + column] /= length;
    if (threadIdx.x == 0) lengths[document] = length;
  }
}
// The gradients of the sums of texts, in the order of the device.
KERNEL bag_sums(const float *gradient, const float *vectors, const float *lengths, float *out, const u32 *order, u32 documents,
                u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(document, documents) {
    u64 from = (u64)order[document] * width;
    float along = 0, length = lengths[document];
    for COLUMNS(column, width) along += vectors[from + column] * gradient[from + column];
    along = block_sum(along, shared);
    for COLUMNS(column, width)
      out[document * width + column] = length == 0 ? 0 : (gradient[from + column] - vectors[from + column] * along) / length;
  }
}
// The gradients of each feature in use: of its row, and of its weight, whose gradients are zero elsewhere.
KERNEL bag_backward(const float *by_sums, const float *table, const float *weights, const u32 *tokens, const u32 *starts,
                    const u32 *used, const u32 *documents, const float *shares, float *by_rows, float *by_weights, u32 count,
                    u32 width, u32 adds) {
  __shared__ float shared[THREADS];
  for ROWS(word, count) {
    u64 feature = used[word];
    float product = 0;
    for COLUMNS(column, width) {
      u64 to = word * width + column;
      float sum = 0;
      for (u32 at = starts[word]; at < starts[word + 1]; at++)
        sum += shares[tokens[at]] * by_sums[(u64)documents[tokens[at]] * width + column];
      product += sum * table[feature * width + column];
      by_rows[to] = (adds ? by_rows[to] : 0) + sum * weights[feature];
    }
    product = block_sum(product, shared);
    if (threadIdx.x == 0) by_weights[feature] = product;
  }
}
// The gradients of the weights of unseen features by kind, a row for each text, which `add_parts` adds up.
KERNEL bag_unseen(const float *by_sums, const u32 *ids, const float *shares, const u32 *starts, const u32 *known, float *partial,
                  u32 documents, u32 width) {
  __shared__ float shared[THREADS];
  for ROWS(document, documents)
    for (u32 kind = 0; kind < KINDS; kind++) {
      float sum = 0;
      for (u32 at = known[document] + threadIdx.x; at < starts[document + 1]; at += blockDim.x) {
        if (unseen_kind(ids[at]) != kind) continue;
        float product = 0;
        for (u32 entry = 0; entry < 4; entry++) {
          u64 word = unseen_word(ids[at], entry);
          for (u32 part = 0; part < 4; part++)
            product += unseen_sign(word, part) * by_sums[document * width + unseen_column(word, part, width)];
        }
        sum += 0.25f * shares[at] * product;
      }
      sum = block_sum(sum, shared);
      if (threadIdx.x == 0) partial[document * KINDS + kind] = sum;
    }
}
KERNEL add_parts(const float *partial, float *out, u32 parts, u32 width) {
  for EACH(column, width)
    for (u32 part = 0; part < parts; part++) out[column] += partial[(u64)part * width + column];
}

// Some rows, and back into rows that are zero elsewhere.
KERNEL take_rows(const element *rows, const u32 *which, element *out, u32 count, u32 width) {
  for EACH(at, (u64)count * width) put(out, at, get(rows, (u64)which[at / width] * width + at % width));
}
KERNEL place_rows(const element *rows, const u32 *which, element *out, u32 count, u32 width) {
  for EACH(at, (u64)count * width) put(out, (u64)which[at / width] * width + at % width, get(rows, at));
}

KERNEL add_rows(element *sum, const element *rows, u64 count) {
  for EACH(at, count) put(sum, at, get(sum, at) + get(rows, at));
}

// The cross entropy of each row of scores with the diagonal, and its gradient. `rows` receives the loss, whether gold is the
// only greatest score, whether all scores are finite, and the greatest gradient.
KERNEL local_loss(const float *scores, const float *bias, float *gradient, float *rows, u32 size) {
  __shared__ float shared[THREADS];
  for ROWS(row, size) {
    u64 at = row * size;
    float most = -3.4e38f, sum = 0, above = 0, broken = 0, steepest = 0;
    float gold = scores[at + row] + bias[0];
    for COLUMNS(column, size) {
      float score = scores[at + column] + bias[0];
      most = larger(most, score);
      above += score >= gold;
      broken += !(score - score == 0);
    }
    most = block_maximum(most, shared);
    for COLUMNS(column, size) sum += expf(scores[at + column] + bias[0] - most);
    sum = block_sum(sum, shared);
    for COLUMNS(column, size) {
      float slope = (expf(scores[at + column] + bias[0] - most) / sum - (column == row)) / size;
      gradient[at + column] = slope;
      steepest = larger(steepest, fabsf(slope));
    }
    above = block_sum(above, shared);
    broken = block_sum(broken, shared);
    steepest = block_maximum(steepest, shared);
    if (threadIdx.x == 0) {
      rows[4 * row] = most + logf(sum) - gold;
      rows[4 * row + 1] = above == 1;
      rows[4 * row + 2] = broken;
      rows[4 * row + 3] = steepest;
    }
  }
}
// Makes it the mean with the loss of the columns, in which each proof chooses among the statements.
KERNEL mirrored_loss(const float *scores, const float *bias, float *gradient, float *rows, u32 size) {
  __shared__ float shared[THREADS];
  for ROWS(column, size) {
    float most = -3.4e38f, sum = 0, steepest = 0;
    float gold = scores[column * size + column] + bias[0];
    for COLUMNS(row, size) most = larger(most, scores[(u64)row * size + column] + bias[0]);
    most = block_maximum(most, shared);
    for COLUMNS(row, size) sum += expf(scores[(u64)row * size + column] + bias[0] - most);
    sum = block_sum(sum, shared);
    for COLUMNS(row, size) {
      u64 at = (u64)row * size + column;
      float slope = (expf(scores[at] + bias[0] - most) / sum - (row == column)) / size;
      gradient[at] = 0.5f * (gradient[at] + slope);
      steepest = larger(steepest, fabsf(gradient[at]));
    }
    steepest = block_maximum(steepest, shared);
    if (threadIdx.x == 0) {
      rows[4 * column] = 0.5f * (rows[4 * column] + most + logf(sum) - gold);
      rows[4 * column + 3] = steepest;
    }
  }
}
// The same for guesses of masked words, in whose place the gradient is written.
KERNEL masked_loss(element *guesses, const float *bias, const u32 *words, float *rows, float scale, u32 count,
                   u32 vocabulary) {
  __shared__ float shared[THREADS];
  for ROWS(row, count) {
    u64 at = row * vocabulary;
    float most = -3.4e38f, sum = 0;
    float gold = get(guesses, at + words[row]) + bias[words[row]];
    for COLUMNS(word, vocabulary) most = larger(most, get(guesses, at + word) + bias[word]);
    most = block_maximum(most, shared);
    for COLUMNS(word, vocabulary) sum += expf(get(guesses, at + word) + bias[word] - most);
    sum = block_sum(sum, shared);
    __syncthreads();
    for COLUMNS(word, vocabulary) {
      float share = expf(get(guesses, at + word) + bias[word] - most) / sum;
      put(guesses, at + word, (share - (word == words[row])) * scale);
    }
    if (threadIdx.x == 0) {
      rows[4 * row] = most + logf(sum) - gold;
      rows[4 * row + 1] = gold == most;
      rows[4 * row + 2] = !(most - most == 0);
      rows[4 * row + 3] = 1;
    }
  }
}

// Sums of squares of a gradient, one of each block.
KERNEL squares(const float *gradient, float *partial, u64 count, u32 parts) {
  __shared__ float shared[THREADS];
  for ROWS(part, parts) {
    float sum = 0;
    for (u64 at = part * blockDim.x + threadIdx.x; at < count; at += (u64)parts * blockDim.x) sum += gradient[at] * gradient[at];
    sum = block_sum(sum, shared);
    if (threadIdx.x == 0) partial[part] = sum;
  }
}
// What a step reports: 0 the mean loss, 1 the accuracy, 2 the number of scores that are not finite, 3 the steepest slope, 4
// the norm of the gradient. 5 is what updates multiply gradients with: 0 where nothing may change.
KERNEL report(const float *rows, const float *partial, float *out, u32 count, u32 parts, float clip, u32 skips_flat) {
  __shared__ float shared[THREADS];
  __shared__ double totals[THREADS];
  if (blockIdx.x) return;
  double loss = 0, found = 0, broken = 0, squares = 0;
  float steepest = 0;
  for COLUMNS(row, count) {
    loss += rows[4 * row];
    found += rows[4 * row + 1];
    broken += rows[4 * row + 2];
    steepest = larger(steepest, rows[4 * row + 3]);
  }
  for COLUMNS(part, parts) squares += partial[part];
  loss = block_sum(loss, totals) / count;
  found = block_sum(found, totals) / count;
  broken = block_sum(broken, totals);
  squares = block_sum(squares, totals);
  steepest = block_maximum(steepest, shared);
  if (threadIdx.x) return;
  float norm = (float)sqrt(squares);
  out[0] = (float)loss;
  out[1] = (float)found;
  out[2] = (float)broken;
  out[3] = steepest;
  out[4] = norm;
  bool changes = broken == 0 && out[0] - out[0] == 0 && norm - norm == 0 && !(skips_flat && steepest == 0);
  out[5] = !changes ? 0 : clip > 0 && norm > clip ? clip / norm : 1;
}

// Marks the rows of the words in use with their place in the gradient, counted from 1; a value of 0 unmarks them.
KERNEL mark(u32 *slots, const u32 *used, u32 count, u32 marks) {
  for EACH(at, count) slots[used[at]] = marks ? at + 1 : 0;
}
// One step of an optimizer. Pointers that are null are skipped: moments of AdamW, an average, a copy in lower precision.
// With slots, the gradient has a row for each marked row; the others only decay.
KERNEL update(float *weights, const float *gradient, float *first, float *second, float *average, unsigned short *half,
              const u32 *slots, const float *reported, u64 count, u32 width, float decay, float rate, float share, float first_share,
              float second_decay, float second_share, float root, float epsilon) {
  float factor = reported[5];
  if (factor == 0) return;
  for EACH(at, count) {
    u32 slot = slots ? slots[at / width] : 1;
    float weight = weights[at] * decay;
    if (slot) {
      float slope = gradient[slots ? (u64)(slot - 1) * width + at % width : at] * factor;
      if (first) {
        float moment = first[at] + (slope - first[at]) * first_share;
        float square = second[at] * second_decay + slope * slope * second_share;
        first[at] = moment;
        second[at] = square;
        weight -= rate * moment / (sqrtf(square) * root + epsilon);
      } else {
        weight -= rate * slope;
      }
    }
    weights[at] = weight;
    if (average) average[at] += (weight - average[at]) * share;
    if (half) {
      u32 bits = __float_as_uint(weight);
      half[at] = (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    }
  }
}
