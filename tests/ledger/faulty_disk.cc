#include "faulty_disk.h"

#include <sqlite3.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>

namespace chronoveil::ledger::testing {
namespace {

struct Disk {
  int countdown = 0;
  FaultyDisk::Fault fault = FaultyDisk::Fault::full_once;
  bool failed = false;
  bool lying = false;
  std::map<std::string, std::string> synced;  // path -> what it held
};

Disk disk;
sqlite3_vfs* real_vfs = nullptr;
sqlite3_vfs shim_vfs;

struct ShimFile {
  sqlite3_file base;
  char path[512];
};

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(ShimFile));
}

// SQLITE_OK, or what this operation fails with.
int next_operation(int when_full) {
  if (disk.failed && disk.fault != FaultyDisk::Fault::full_once) {
    return disk.fault == FaultyDisk::Fault::read_only ? SQLITE_READONLY : when_full;
  }
  if (disk.countdown == 0 || --disk.countdown > 0) return SQLITE_OK;
  disk.failed = true;
  return disk.fault == FaultyDisk::Fault::read_only ? SQLITE_READONLY : when_full;
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int shim_close(sqlite3_file* f) { return real(f)->pMethods->xClose(real(f)); }
int shim_read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  return real(f)->pMethods->xRead(real(f), to, size, at);
}
int shim_write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  if (const int fault = next_operation(SQLITE_FULL)) return fault;
  return real(f)->pMethods->xWrite(real(f), from, size, at);
}
int shim_truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const int fault = next_operation(SQLITE_IOERR_TRUNCATE)) return fault;
  return real(f)->pMethods->xTruncate(real(f), size);
}
int shim_sync(sqlite3_file* f, int flags) {
  if (const int fault = next_operation(SQLITE_IOERR_FSYNC)) return fault;
  if (disk.lying) return SQLITE_OK;
  const int status = real(f)->pMethods->xSync(real(f), flags);
  const std::string path = reinterpret_cast<ShimFile*>(f)->path;
  if (status == SQLITE_OK && !path.empty()) disk.synced[path] = contents(path);
  return status;
}
int shim_file_size(sqlite3_file* f, sqlite3_int64* size) { return real(f)->pMethods->xFileSize(real(f), size); }
int shim_lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int shim_unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int shim_check_lock(sqlite3_file* f, int* out) { return real(f)->pMethods->xCheckReservedLock(real(f), out); }
int shim_control(sqlite3_file* f, int op, void* argument) {
  return real(f)->pMethods->xFileControl(real(f), op, argument);
}
int shim_sector(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
int shim_characteristics(sqlite3_file* f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); }
int shim_shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** out) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, out);
}
int shim_shm_lock(sqlite3_file* f, int offset, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
void shim_shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int shim_shm_unmap(sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

// Version 2: no memory-mapped reads, so that every access passes through here.
const sqlite3_io_methods kMethods = {2,
                                     shim_close,
                                     shim_read,
                                     shim_write,
                                     shim_truncate,
                                     shim_sync,
                                     shim_file_size,
                                     shim_lock,
                                     shim_unlock,
                                     shim_check_lock,
                                     shim_control,
                                     shim_sector,
                                     shim_characteristics,
                                     shim_shm_map,
                                     shim_shm_lock,
                                     shim_shm_barrier,
                                     shim_shm_unmap,
                                     nullptr,
                                     nullptr};

int shim_open(sqlite3_vfs*, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* shim = new (file) ShimFile{};
  std::strncpy(shim->path, path == nullptr ? "" : path, sizeof(shim->path) - 1);
  const int status = real_vfs->xOpen(real_vfs, path, real(file), flags, out_flags);
  file->pMethods = real(file)->pMethods == nullptr ? nullptr : &kMethods;
  return status;
}

int shim_delete(sqlite3_vfs*, const char* path, int sync_folder) {
  const int status = real_vfs->xDelete(real_vfs, path, sync_folder);
  if (status == SQLITE_OK) disk.synced.erase(path);
  return status;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  disk = Disk{};
  real_vfs = sqlite3_vfs_find(nullptr);
  shim_vfs = *real_vfs;
  shim_vfs.pNext = nullptr;
  shim_vfs.zName = "chronoveil-faulty-disk";
  shim_vfs.szOsFile = static_cast<int>(sizeof(ShimFile)) + real_vfs->szOsFile;
  shim_vfs.xOpen = shim_open;
  shim_vfs.xDelete = shim_delete;
  sqlite3_vfs_register(&shim_vfs, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&shim_vfs);
  sqlite3_vfs_register(real_vfs, 1);
}

void FaultyDisk::fail_at(int operation, Fault fault) {
  disk.countdown = operation;
  disk.fault = fault;
  disk.failed = false;
}

bool FaultyDisk::has_failed() const { return disk.failed; }

void FaultyDisk::after_power_loss(const std::string& from_folder, const std::string& to_folder) const {
  for (const auto& [path, held] : disk.synced) {
    const std::filesystem::path file(path);
    if (file.parent_path() != from_folder) continue;
    std::ofstream(to_folder / file.filename(), std::ios::binary) << held;
  }
}

void FaultyDisk::lie_about_syncs() { disk.lying = true; }

}  // namespace chronoveil::ledger::testing
