package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.fuse.session.FuseReply;

/** Passes an answer on; subclasses change some kinds of answers. */
abstract class ForwardingReply implements FuseReply {
  private final FuseReply next;

  ForwardingReply(FuseReply next) {
    this.next = next;
  }

  final FuseReply next() {
    return next;
  }

  @Override
  public RequestId unique() {
    return next.unique();
  }

  @Override
  public long takeReceivedNs() {
    return next.takeReceivedNs();
  }

  @Override
  public void error(Errno errno) {
    next.error(errno);
  }

  @Override
  public void ok() {
    next.ok();
  }

  @Override
  public void entry(FuseEntry entry) {
    next.entry(entry);
  }

  @Override
  public void negativeEntry(long ttlNs) {
    next.negativeEntry(ttlNs);
  }

  @Override
  public void attr(FuseAttr attr, long ttlNs) {
    next.attr(attr, ttlNs);
  }

  @Override
  public void open(FileHandle fh, int flags) {
    next.open(fh, flags);
  }

  @Override
  public void create(FuseEntry entry, FileHandle fh, int flags) {
    next.create(entry, fh, flags);
  }

  @Override
  public void write(int size) {
    next.write(size);
  }

  @Override
  public void data(byte[]... parts) {
    next.data(parts);
  }

  @Override
  public void statfs(FuseStatFs totals) {
    next.statfs(totals);
  }

  @Override
  public void xattrSize(int size) {
    next.xattrSize(size);
  }

  @Override
  public void directory(DirectoryBuffer rows) {
    next.directory(rows);
  }

  @Override
  public void lseek(long offset) {
    next.lseek(offset);
  }

  @Override
  public void copied(long bytes) {
    next.copied(bytes);
  }

  @Override
  public void statx(FuseStatx statx, long ttlNs) {
    next.statx(statx, ttlNs);
  }

  @Override
  public void lock(FuseLock lock) {
    next.lock(lock);
  }

  @Override
  public void noReply() {
    next.noReply();
  }
}
