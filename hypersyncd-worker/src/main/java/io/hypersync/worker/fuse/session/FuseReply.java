package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;

/**
 * The right to answer one request, once, from any thread, at any time until the session ends. A
 * second answer is dropped, counted and logged; a request that is unanswered when the session ends
 * is answered EIO. An answer to a request that the kernel does not wait for (FORGET) is dropped
 * silently.
 *
 * <p>Each record of {@link io.hypersync.worker.fuse.protocol.FuseOperation} says which of these the
 * kernel expects; another one fails the caller's system call with EIO. No method throws for what
 * the kernel says: a caller who is gone needs no answer.
 */
public interface FuseReply {
  /** The number of the request. */
  long unique();

  /**
   * When the request was read, in nanoseconds of the monotonic clock; 0 when this is asked again:
   * of a request that takes several mutations, the first one is measured from there.
   */
  long takeReceivedNs();

  /** It failed. */
  void error(Errno errno);

  /** It succeeded, and there is nothing to tell. */
  void ok();

  /** The name's node. */
  void entry(FuseEntry entry);

  /** LOOKUP alone: the name does not exist, and that may be remembered for {@code ttlNs}. */
  void negativeEntry(long ttlNs);

  /** The attributes, valid for {@code ttlNs} nanoseconds. */
  void attr(FuseAttr attr, long ttlNs);

  /**
   * The handle that later requests name.
   *
   * @param flags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.OpenReply}
   */
  void open(long fh, int flags);

  /** The new file and its handle; {@code flags} as in {@link #open}. */
  void create(FuseEntry entry, long fh, int flags);

  /** How many bytes were written. */
  void write(int size);

  /**
   * Bytes of a file, a link target, an attribute's value or a list of names; the parts are joined.
   */
  void data(byte[]... parts);

  /** {@code length} bytes of an array from {@code offset}. */
  void data(byte[] bytes, int offset, int length);

  /** The totals. */
  void statfs(FuseStatFs totals);

  /** How large the attribute, or the list, is. */
  void xattrSize(int size);

  /**
   * Rows of a directory: {@link DirectoryBuffer.Plain} or {@link DirectoryBuffer.Plus} as asked.
   */
  void directory(DirectoryBuffer rows);

  /** The place found. */
  void lseek(long offset);

  /** How many bytes were copied. */
  void copied(long bytes);

  /** The attributes as statx(2) shows them, valid for {@code ttlNs} nanoseconds. */
  void statx(FuseStatx statx, long ttlNs);

  /** The lock in the way, or the one asked about with type 2 (none). */
  void lock(FuseLock lock);

  /** The result of a control call and the bytes for the caller. */
  void ioctl(int result, byte[] output);

  /** The events that are ready. */
  void poll(int readyEvents);

  /** The block that was asked for. */
  void bmap(long block);

  /** Says that a request which the kernel does not wait for is done with. */
  void noReply();
}
