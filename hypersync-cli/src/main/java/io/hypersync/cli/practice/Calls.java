package io.hypersync.cli.practice;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.AttrLayouts.EntryOut;
import io.hypersync.worker.fuse.abi.AttrLayouts.GetAttrIn;
import io.hypersync.worker.fuse.abi.AttrLayouts.SetAttrIn;
import io.hypersync.worker.fuse.abi.FileLayouts.CreateIn;
import io.hypersync.worker.fuse.abi.FileLayouts.FlushIn;
import io.hypersync.worker.fuse.abi.FileLayouts.FsyncIn;
import io.hypersync.worker.fuse.abi.FileLayouts.OpenIn;
import io.hypersync.worker.fuse.abi.FileLayouts.OpenOut;
import io.hypersync.worker.fuse.abi.FileLayouts.ReadIn;
import io.hypersync.worker.fuse.abi.FileLayouts.ReleaseIn;
import io.hypersync.worker.fuse.abi.FileLayouts.WriteIn;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.NameLayouts.ForgetIn;
import io.hypersync.worker.fuse.abi.NameLayouts.MkDirIn;
import io.hypersync.worker.fuse.abi.NameLayouts.RenameIn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The calls of a round, as the kernel makes them for an agent that saves and reads files. A round
 * leaves nothing behind but chunks, of which there are {@link #CONTENTS} different ones.
 */
final class Calls {
  private static final int SMALL_BYTES = 4096;

  /** Too large for a log entry. */
  private static final int LARGE_BYTES = 32 << 10;

  private static final int CONTENTS = 64;
  private static final int LARGE_EVERY = 8;
  private static final int O_WRONLY = 1;
  private static final int O_CREAT = 0100;
  private static final int O_EXCL = 0200;
  private static final int FILE_MODE = 0100644;
  private static final int OTHER_MODE = 0100600;
  private static final int DIRECTORY_MODE = 0755;

  private final PracticeKernel kernel;
  private int round;

  Calls(PracticeKernel kernel) {
    this.kernel = kernel;
  }

  /**
   * Makes a file and a directory, and all that is usual with them, and removes both.
   *
   * @return how many mutations were committed
   */
  int round() {
    round++;
    byte[] name = name("practice-" + round);
    byte[] other = name("practised-" + round);
    byte[] data = data();
    InodeNo file = create(name, data);
    read(file, data.length);
    append(file, data.length);
    chmod(file);
    rename(name, other);
    InodeNo directory = makeDirectory(name);
    kernel.call(FuseOpcode.RMDIR, InodeNo.ROOT, ByteBuffer.wrap(name));
    kernel.call(FuseOpcode.UNLINK, InodeNo.ROOT, ByteBuffer.wrap(other));
    forget(directory, 1);
    forget(file, 2);
    return 8;
  }

  private byte[] data() {
    byte[] data = new byte[round % LARGE_EVERY == 0 ? LARGE_BYTES : SMALL_BYTES];
    ByteBuffer.wrap(data).putInt(round % CONTENTS);
    return data;
  }

  private static byte[] name(String text) {
    return (text + '\0').getBytes(StandardCharsets.US_ASCII);
  }

  private InodeNo create(byte[] name, byte[] data) {
    kernel.miss(InodeNo.ROOT, name);
    ByteBuffer create = body(CreateIn.SIZE + name.length);
    create.putInt(CreateIn.FLAGS, O_WRONLY | O_CREAT | O_EXCL).putInt(CreateIn.MODE, FILE_MODE);
    ByteBuffer made = kernel.call(FuseOpcode.CREATE, InodeNo.ROOT, create.put(CreateIn.SIZE, name));
    InodeNo file = node(made);
    long handle = made.getLong(EntryOut.SIZE + OpenOut.FH);
    write(file, handle, 0, data);
    close(file, handle, O_WRONLY);
    return file;
  }

  private void append(InodeNo file, long offset) {
    long handle = open(file, O_WRONLY);
    write(file, handle, offset, new byte[100]);
    ByteBuffer _ =
        kernel.call(FuseOpcode.FSYNC, file, body(FsyncIn.SIZE).putLong(FsyncIn.FH, handle));
    close(file, handle, O_WRONLY);
  }

  private void read(InodeNo file, int length) {
    ByteBuffer _ =
        kernel.call(FuseOpcode.LOOKUP, InodeNo.ROOT, ByteBuffer.wrap(name("practice-" + round)));
    ByteBuffer _ = kernel.call(FuseOpcode.GETATTR, file, body(GetAttrIn.SIZE));
    long handle = open(file, 0);
    ByteBuffer read = body(ReadIn.SIZE).putLong(ReadIn.FH, handle).putInt(ReadIn.LENGTH, length);
    if (kernel.call(FuseOpcode.READ, file, read).remaining() != length) {
      throw new IllegalStateException("a file has lost bytes");
    }
    close(file, handle, 0);
  }

  private void chmod(InodeNo file) {
    ByteBuffer change = body(SetAttrIn.SIZE);
    change.putInt(SetAttrIn.VALID, SetAttrValid.MODE).putInt(SetAttrIn.MODE, OTHER_MODE);
    ByteBuffer _ = kernel.call(FuseOpcode.SETATTR, file, change);
  }

  private void rename(byte[] from, byte[] to) {
    ByteBuffer rename = body(RenameIn.SIZE + from.length + to.length);
    rename
        .putLong(RenameIn.NEWDIR, InodeNo.ROOT.value())
        .put(RenameIn.SIZE, from)
        .put(RenameIn.SIZE + from.length, to);
    ByteBuffer _ = kernel.call(FuseOpcode.RENAME, InodeNo.ROOT, rename);
  }

  private InodeNo makeDirectory(byte[] name) {
    ByteBuffer make = body(MkDirIn.SIZE + name.length).putInt(MkDirIn.MODE, DIRECTORY_MODE);
    return node(kernel.call(FuseOpcode.MKDIR, InodeNo.ROOT, make.put(MkDirIn.SIZE, name)));
  }

  private long open(InodeNo file, int flags) {
    ByteBuffer open = body(OpenIn.SIZE).putInt(OpenIn.FLAGS, flags);
    return kernel.call(FuseOpcode.OPEN, file, open).getLong(OpenOut.FH);
  }

  private void write(InodeNo file, long handle, long offset, byte[] data) {
    ByteBuffer write = body(WriteIn.SIZE + data.length);
    write
        .putLong(WriteIn.FH, handle)
        .putLong(WriteIn.OFFSET, offset)
        .putInt(WriteIn.LENGTH, data.length)
        .putInt(WriteIn.FLAGS, O_WRONLY);
    ByteBuffer _ = kernel.call(FuseOpcode.WRITE, file, write.put(WriteIn.SIZE, data));
  }

  private void close(InodeNo file, long handle, int flags) {
    ByteBuffer _ =
        kernel.call(FuseOpcode.FLUSH, file, body(FlushIn.SIZE).putLong(FlushIn.FH, handle));
    ByteBuffer release = body(ReleaseIn.SIZE).putLong(ReleaseIn.FH, handle);
    ByteBuffer _ = kernel.call(FuseOpcode.RELEASE, file, release.putInt(ReleaseIn.FLAGS, flags));
  }

  private void forget(InodeNo node, long lookups) {
    kernel.tell(FuseOpcode.FORGET, node, body(ForgetIn.SIZE).putLong(ForgetIn.NLOOKUP, lookups));
  }

  private static InodeNo node(ByteBuffer answer) {
    return new InodeNo(answer.getLong(EntryOut.NODEID));
  }

  private static ByteBuffer body(int bytes) {
    return ByteBuffer.allocate(bytes).order(ByteOrder.nativeOrder());
  }
}
