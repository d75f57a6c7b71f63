package io.hypersync.sim.load;

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
import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

/** Passes each reply of the vfs on as one {@link Answer}. */
final class SimReply implements FuseReply {
  private final RequestId unique;
  private final Consumer<Answer> receiver;

  SimReply(RequestId unique, Consumer<Answer> receiver) {
    this.unique = unique;
    this.receiver = receiver;
  }

  @Override
  public RequestId unique() {
    return unique;
  }

  @Override
  public long takeReceivedNs() {
    return 0;
  }

  @Override
  public void error(Errno errno) {
    receiver.accept(Answer.error(errno));
  }

  @Override
  public void ok() {
    receiver.accept(Answer.OK);
  }

  @Override
  public void entry(FuseEntry entry) {
    receiver.accept(Answer.entry(entry, FileHandle.NONE));
  }

  @Override
  public void negativeEntry(long ttlNs) {
    receiver.accept(Answer.error(Errno.ENOENT));
  }

  @Override
  public void attr(FuseAttr attr, long ttlNs) {
    receiver.accept(Answer.OK);
  }

  @Override
  public void open(FileHandle fh, int flags) {
    receiver.accept(Answer.handle(fh));
  }

  @Override
  public void create(FuseEntry entry, FileHandle fh, int flags) {
    receiver.accept(Answer.entry(entry, fh));
  }

  @Override
  public void write(int size) {
    receiver.accept(Answer.size(size));
  }

  @Override
  public void data(byte[]... parts) {
    ByteArrayOutputStream joined = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      joined.writeBytes(part);
    }
    receiver.accept(Answer.data(joined.toByteArray()));
  }

  @Override
  public void statfs(FuseStatFs totals) {
    receiver.accept(Answer.OK);
  }

  @Override
  public void xattrSize(int size) {
    receiver.accept(Answer.size(size));
  }

  @Override
  public void directory(DirectoryBuffer rows) {
    receiver.accept(Answer.size(rows.bytes().remaining()));
  }

  @Override
  public void lseek(long offset) {
    receiver.accept(Answer.OK);
  }

  @Override
  public void copied(long bytes) {
    receiver.accept(Answer.size((int) bytes));
  }

  @Override
  public void statx(FuseStatx statx, long ttlNs) {
    receiver.accept(Answer.OK);
  }

  @Override
  public void lock(FuseLock lock) {
    receiver.accept(Answer.OK);
  }

  @Override
  public void noReply() {
    receiver.accept(Answer.OK);
  }
}
