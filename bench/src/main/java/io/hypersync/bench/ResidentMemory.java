package io.hypersync.bench;

/**
 * The resident memory of a process.
 *
 * @param bytes all of it ({@code VmRSS})
 * @param ownBytes without the pages of files that it has mapped, which the kernel takes back when
 *     it needs them ({@code RssAnon}): heap, direct buffers, native memory
 */
record ResidentMemory(long bytes, long ownBytes) {
  /**
   * Looks at a process.
   *
   * @throws io.hypersync.runtime.admin.UserError if there is no such process
   */
  static ResidentMemory of(long pid) {
    return new ResidentMemory(MemoryUse.residentBytes(pid), MemoryUse.ownBytes(pid));
  }
}
