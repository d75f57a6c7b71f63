package io.hypersync.worker.vfs;

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
import java.util.ArrayList;
import java.util.List;

/** Records replies as text, so that a table of tests can state what is expected. */
final class RecordedReply implements FuseReply {
  final List<String> heard = new ArrayList<>();
  final List<FuseEntry> entries = new ArrayList<>();
  FileHandle fh = FileHandle.NONE;

  @Override
  public RequestId unique() {
    return new RequestId(1);
  }

  @Override
  public long takeReceivedNs() {
    return 0;
  }

  @Override
  public void error(Errno errno) {
    heard.add(errno.name());
  }

  @Override
  public void ok() {
    heard.add("ok");
  }

  @Override
  public void entry(FuseEntry entry) {
    entries.add(entry);
    heard.add("entry");
  }

  @Override
  public void negativeEntry(long ttlNs) {
    heard.add("no entry");
  }

  @Override
  public void attr(FuseAttr attr, long ttlNs) {
    heard.add("attr size " + attr.size() + " mode " + Integer.toOctalString(attr.mode()));
  }

  @Override
  public void open(FileHandle handle, int flags) {
    fh = handle;
    heard.add("open flags " + flags);
  }

  @Override
  public void create(FuseEntry entry, FileHandle handle, int flags) {
    entries.add(entry);
    fh = handle;
    heard.add("create flags " + flags);
  }

  @Override
  public void write(int size) {
    heard.add("write " + size);
  }

  @Override
  public void data(byte[]... parts) {
    for (byte[] part : parts) {
      heard.add("data " + new String(part, java.nio.charset.StandardCharsets.US_ASCII));
    }
  }

  @Override
  public void statfs(FuseStatFs totals) {
    heard.add("statfs");
  }

  @Override
  public void xattrSize(int size) {
    heard.add("xattr size " + size);
  }

  @Override
  public void directory(DirectoryBuffer rows) {
    heard.add("directory " + rows.bytes().remaining());
  }

  @Override
  public void lseek(long offset) {
    heard.add("lseek " + offset);
  }

  @Override
  public void copied(long bytes) {
    heard.add("copied " + bytes);
  }

  @Override
  public void statx(FuseStatx statx, long ttlNs) {
    heard.add(
        "statx mask %x btime %d size %d"
            .formatted(statx.mask(), statx.btimeNs(), statx.attr().size()));
  }

  @Override
  public void lock(FuseLock lock) {
    heard.add("lock");
  }

  @Override
  public void noReply() {
    heard.add("nothing");
  }
}
