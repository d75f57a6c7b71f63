package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestId;

/**
 * The right to answer one request, once, from any thread, at any time until the session ends. A
 * second reply is dropped, counted and logged; a request that is unanswered when the session ends
 * gets EIO. A reply to a request that the kernel does not wait for (FORGET) is dropped silently.
 *
 * <p>Each record of {@link io.hypersync.worker.fuse.protocol.FuseOperation} says which of these
 * methods the kernel expects; any other one fails the caller's system call with EIO. No method
 * throws if the kernel rejects a reply: a caller that has ended needs none.
 */
public interface FuseReply {
  /** The number of the request. */
  RequestId unique();

  /**
   * When the request was read, in nanoseconds of the monotonic clock; 0 from the second call on. So
   * of a request that takes several mutations, only the first one is measured from its arrival.
   */
  long takeReceivedNs();

  /** Fails the request. */
  void error(Errno errno);

  /** Success without data. */
  void ok();

  /** Success, with the node that the name leads to. */
  void entry(FuseEntry entry);

  /**
   * LOOKUP only: the name does not exist; the kernel may cache that for {@code ttlNs} nanoseconds.
   */
  void negativeEntry(long ttlNs);

  /** The attributes, valid for {@code ttlNs} nanoseconds. */
  void attr(FuseAttr attr, long ttlNs);

  /**
   * The handle that later requests of this open file carry.
   *
   * @param flags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.OpenReply}
   */
  void open(FileHandle fh, int flags);

  /** The new file and its handle; {@code flags} as in {@link #open}. */
  void create(FuseEntry entry, FileHandle fh, int flags);

  /** How many bytes were written. */
  void write(int size);

  /**
   * Bytes of a file, a link target, an attribute's value or a list of names; the parts are
   * concatenated.
   */
  void data(byte[]... parts);

  /** The totals of the filesystem. */
  void statfs(FuseStatFs totals);

  /** The size in bytes of the attribute's value, or of the list of names. */
  void xattrSize(int size);

  /**
   * Rows of a directory: {@link DirectoryBuffer.Plain} or {@link DirectoryBuffer.Plus}, depending
   * on the request.
   */
  void directory(DirectoryBuffer rows);

  /** The offset that was found. */
  void lseek(long offset);

  /** How many bytes were copied. */
  void copied(long bytes);

  /** The attributes as statx(2) shows them, valid for {@code ttlNs} nanoseconds. */
  void statx(FuseStatx statx, long ttlNs);

  /** The conflicting lock, or the requested one with type 2 (none). */
  void lock(FuseLock lock);

  /** Ends a request that the kernel does not wait for; EIO if it does wait. */
  void noReply();
}
