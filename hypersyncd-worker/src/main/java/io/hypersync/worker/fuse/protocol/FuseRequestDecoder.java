package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.AttrLayouts.GetAttrIn;
import io.hypersync.worker.fuse.abi.AttrLayouts.SetAttrIn;
import io.hypersync.worker.fuse.abi.AttrLayouts.StatxIn;
import io.hypersync.worker.fuse.abi.FileLayouts.BmapIn;
import io.hypersync.worker.fuse.abi.FileLayouts.CopyFileRangeIn;
import io.hypersync.worker.fuse.abi.FileLayouts.CreateIn;
import io.hypersync.worker.fuse.abi.FileLayouts.FallocateIn;
import io.hypersync.worker.fuse.abi.FileLayouts.FlushIn;
import io.hypersync.worker.fuse.abi.FileLayouts.FsyncIn;
import io.hypersync.worker.fuse.abi.FileLayouts.IoctlIn;
import io.hypersync.worker.fuse.abi.FileLayouts.LseekIn;
import io.hypersync.worker.fuse.abi.FileLayouts.OpenIn;
import io.hypersync.worker.fuse.abi.FileLayouts.PollIn;
import io.hypersync.worker.fuse.abi.FileLayouts.ReadIn;
import io.hypersync.worker.fuse.abi.FileLayouts.ReleaseIn;
import io.hypersync.worker.fuse.abi.FileLayouts.WriteIn;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.HeaderLayouts.InHeader;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.abi.InitLayouts.InitIn;
import io.hypersync.worker.fuse.abi.InitLayouts.InterruptIn;
import io.hypersync.worker.fuse.abi.LockLayouts.FileLock;
import io.hypersync.worker.fuse.abi.LockLayouts.LockIn;
import io.hypersync.worker.fuse.abi.NameLayouts.AccessIn;
import io.hypersync.worker.fuse.abi.NameLayouts.BatchForgetIn;
import io.hypersync.worker.fuse.abi.NameLayouts.ForgetIn;
import io.hypersync.worker.fuse.abi.NameLayouts.ForgetOne;
import io.hypersync.worker.fuse.abi.NameLayouts.LinkIn;
import io.hypersync.worker.fuse.abi.NameLayouts.MkDirIn;
import io.hypersync.worker.fuse.abi.NameLayouts.MkNodIn;
import io.hypersync.worker.fuse.abi.NameLayouts.Rename2In;
import io.hypersync.worker.fuse.abi.NameLayouts.RenameIn;
import io.hypersync.worker.fuse.abi.XattrLayouts.GetXattrIn;
import io.hypersync.worker.fuse.abi.XattrLayouts.SetXattrExtIn;
import io.hypersync.worker.fuse.abi.XattrLayouts.SetXattrIn;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Decodes the kernel's messages. Total: every byte sequence has a result, and none throws. The
 * arrays in a result are copies, so the buffer can be reused at once.
 */
public final class FuseRequestDecoder {
  private static final int HIGH_BITS = 32;

  /** The most that 256 pages, the negotiated limit, can be: Linux pages have at most 64 KiB. */
  private static final int MAX_READ_BYTES = 1 << 24;

  private final boolean longSetXattr;

  /**
   * A decoder for one connection.
   *
   * @param agreed the negotiated flags; {@link InitFlag#SETXATTR_EXT} changes a layout
   */
  public FuseRequestDecoder(Set<InitFlag> agreed) {
    this.longSetXattr = agreed.contains(InitFlag.SETXATTR_EXT);
  }

  /** Decodes the one message from the buffer's position to its limit; the buffer is not changed. */
  public Decoded decode(ByteBuffer message) {
    ByteBuffer bytes = message.slice().order(ByteOrder.nativeOrder());
    if (bytes.limit() < InHeader.SIZE) {
      return new Decoded.Malformed(
          RequestId.NONE, null, false, Errno.EIO, "no header in " + bytes.limit() + " bytes");
    }
    RequestId unique = new RequestId(bytes.getLong(InHeader.UNIQUE));
    int code = bytes.getInt(InHeader.OPCODE);
    FuseOpcode opcode = FuseOpcode.of(code);
    if (opcode == null) {
      return new Decoded.Malformed(
          unique, null, true, Errno.ENOSYS, "unknown opcode " + Integer.toUnsignedString(code));
    }
    try {
      return decode(header(unique, bytes, opcode), body(bytes));
    } catch (MalformedMessageException e) {
      return new Decoded.Malformed(
          unique, opcode, opcode.isAnswered(), Errno.EIO, opcode + ": " + e.getMessage());
    }
  }

  private static RequestHeader header(RequestId unique, ByteBuffer bytes, FuseOpcode opcode) {
    return new RequestHeader(
        unique,
        new InodeNo(bytes.getLong(InHeader.NODEID)),
        bytes.getInt(InHeader.UID),
        bytes.getInt(InHeader.GID),
        bytes.getInt(InHeader.PID),
        opcode);
  }

  private static MessageBody body(ByteBuffer bytes) throws MalformedMessageException {
    int length = bytes.getInt(InHeader.LEN);
    if (length != bytes.limit()) {
      throw new MalformedMessageException(
          "header says " + Integer.toUnsignedString(length) + " bytes, got " + bytes.limit());
    }
    int extensions = Short.toUnsignedInt(bytes.getShort(InHeader.EXTLEN)) * Long.BYTES;
    int size = length - InHeader.SIZE - extensions;
    if (size < 0) {
      throw new MalformedMessageException("extensions of " + extensions + " bytes");
    }
    return new MessageBody(bytes.slice(InHeader.SIZE, size).order(ByteOrder.nativeOrder()));
  }

  private Decoded decode(RequestHeader header, MessageBody in) throws MalformedMessageException {
    RequestId unique = header.unique();
    return switch (header.opcode()) {
      case INIT -> init(unique, in);
      case INTERRUPT -> new Decoded.Interrupt(unique, new RequestId(in.int64(InterruptIn.UNIQUE)));
      case DESTROY -> new Decoded.Destroy(unique);
      case NOTIFY_REPLY -> throw new MalformedMessageException("nothing was retrieved");
      case SETUPMAPPING, REMOVEMAPPING ->
          new Decoded.Malformed(
              unique, header.opcode(), true, Errno.ENOSYS, header.opcode() + " is not served");
      default -> new Decoded.Request(new FuseRequest(header, operation(header.opcode(), in)));
    };
  }

  private static Decoded init(RequestId unique, MessageBody in) throws MalformedMessageException {
    long flags = Integer.toUnsignedLong(in.int32(InitIn.FLAGS));
    if ((flags & InitFlag.INIT_EXT.mask()) != 0) {
      flags |= Integer.toUnsignedLong(in.int32(InitIn.FLAGS2)) << HIGH_BITS;
    }
    return new Decoded.Init(
        unique,
        in.int32(InitIn.MAJOR),
        in.int32(InitIn.MINOR),
        in.int32(InitIn.MAX_READAHEAD),
        flags);
  }

  private FuseOperation operation(FuseOpcode opcode, MessageBody in)
      throws MalformedMessageException {
    return switch (opcode) {
      case LOOKUP -> new FuseOperation.Lookup(in.name(0));
      case FORGET -> new FuseOperation.Forget(in.int64(ForgetIn.NLOOKUP));
      case BATCH_FORGET -> batchForget(in);
      case GETATTR ->
          new FuseOperation.GetAttr(in.int32(GetAttrIn.GETATTR_FLAGS), handle(in, GetAttrIn.FH));
      case SETATTR -> setAttr(in);
      case READLINK -> new FuseOperation.ReadLink();
      case SYMLINK -> {
        byte[] name = in.name(0);
        yield new FuseOperation.Symlink(name, in.name(name.length + 1));
      }
      case MKNOD ->
          new FuseOperation.MkNod(
              in.name(MkNodIn.SIZE),
              in.int32(MkNodIn.MODE),
              in.int32(MkNodIn.RDEV),
              in.int32(MkNodIn.UMASK));
      case MKDIR ->
          new FuseOperation.MkDir(
              in.name(MkDirIn.SIZE), in.int32(MkDirIn.MODE), in.int32(MkDirIn.UMASK));
      case UNLINK -> new FuseOperation.Unlink(in.name(0));
      case RMDIR -> new FuseOperation.RmDir(in.name(0));
      case RENAME -> rename(in, RenameIn.SIZE, inode(in, RenameIn.NEWDIR), 0);
      case RENAME2 ->
          rename(in, Rename2In.SIZE, inode(in, Rename2In.NEWDIR), in.int32(Rename2In.FLAGS));
      case LINK -> new FuseOperation.Link(inode(in, LinkIn.OLDNODEID), in.name(LinkIn.SIZE));
      case OPEN -> new FuseOperation.Open(in.int32(OpenIn.FLAGS), in.int32(OpenIn.OPEN_FLAGS));
      case OPENDIR ->
          new FuseOperation.OpenDir(in.int32(OpenIn.FLAGS), in.int32(OpenIn.OPEN_FLAGS));
      case READ -> {
        in.requireSize(ReadIn.SIZE);
        yield new FuseOperation.Read(
            handle(in, ReadIn.FH),
            in.int64(ReadIn.OFFSET),
            readLength(in),
            in.int32(ReadIn.READ_FLAGS),
            owner(in, ReadIn.LOCK_OWNER),
            in.int32(ReadIn.FLAGS));
      }
      case READDIR -> {
        in.requireSize(ReadIn.SIZE);
        yield new FuseOperation.ReadDir(
            handle(in, ReadIn.FH), in.int64(ReadIn.OFFSET), readLength(in));
      }
      case READDIRPLUS -> {
        in.requireSize(ReadIn.SIZE);
        yield new FuseOperation.ReadDirPlus(
            handle(in, ReadIn.FH), in.int64(ReadIn.OFFSET), readLength(in));
      }
      case WRITE -> write(in);
      case STATFS -> new FuseOperation.StatFs();
      case RELEASE ->
          new FuseOperation.Release(
              handle(in, ReleaseIn.FH),
              in.int32(ReleaseIn.FLAGS),
              in.int32(ReleaseIn.RELEASE_FLAGS),
              owner(in, ReleaseIn.LOCK_OWNER));
      case RELEASEDIR ->
          new FuseOperation.ReleaseDir(
              handle(in, ReleaseIn.FH),
              in.int32(ReleaseIn.FLAGS),
              in.int32(ReleaseIn.RELEASE_FLAGS),
              owner(in, ReleaseIn.LOCK_OWNER));
      case FSYNC -> {
        in.requireSize(FsyncIn.SIZE);
        yield new FuseOperation.Fsync(handle(in, FsyncIn.FH), in.int32(FsyncIn.FSYNC_FLAGS));
      }
      case FSYNCDIR -> {
        in.requireSize(FsyncIn.SIZE);
        yield new FuseOperation.FsyncDir(handle(in, FsyncIn.FH), in.int32(FsyncIn.FSYNC_FLAGS));
      }
      case SETXATTR -> setXattr(in);
      case GETXATTR ->
          new FuseOperation.GetXattr(in.name(GetXattrIn.SIZE), in.length(GetXattrIn.LENGTH));
      case LISTXATTR -> {
        in.requireSize(GetXattrIn.SIZE);
        yield new FuseOperation.ListXattr(in.length(GetXattrIn.LENGTH));
      }
      case REMOVEXATTR -> new FuseOperation.RemoveXattr(in.name(0));
      case FLUSH -> new FuseOperation.Flush(handle(in, FlushIn.FH), owner(in, FlushIn.LOCK_OWNER));
      case GETLK ->
          new FuseOperation.GetLk(
              handle(in, LockIn.FH), owner(in, LockIn.OWNER), lock(in), in.int32(LockIn.LK_FLAGS));
      case SETLK -> setLk(in, false);
      case SETLKW -> setLk(in, true);
      case ACCESS -> {
        in.requireSize(AccessIn.SIZE);
        yield new FuseOperation.Access(in.int32(AccessIn.MASK));
      }
      case CREATE ->
          new FuseOperation.Create(
              in.name(CreateIn.SIZE),
              in.int32(CreateIn.FLAGS),
              in.int32(CreateIn.MODE),
              in.int32(CreateIn.UMASK),
              in.int32(CreateIn.OPEN_FLAGS));
      case TMPFILE ->
          new FuseOperation.Tmpfile(
              in.int32(CreateIn.FLAGS),
              in.int32(CreateIn.MODE),
              in.int32(CreateIn.UMASK),
              in.int32(CreateIn.OPEN_FLAGS));
      case BMAP -> {
        in.requireSize(BmapIn.SIZE);
        yield new FuseOperation.Bmap(in.int64(BmapIn.BLOCK), in.int32(BmapIn.BLOCKSIZE));
      }
      case IOCTL -> ioctl(in);
      case POLL ->
          new FuseOperation.Poll(
              handle(in, PollIn.FH),
              in.int64(PollIn.KH),
              in.int32(PollIn.FLAGS),
              in.int32(PollIn.EVENTS));
      case FALLOCATE -> {
        in.requireSize(FallocateIn.SIZE);
        yield new FuseOperation.Fallocate(
            handle(in, FallocateIn.FH),
            in.int64(FallocateIn.OFFSET),
            in.int64(FallocateIn.LENGTH),
            in.int32(FallocateIn.MODE));
      }
      case LSEEK -> {
        in.requireSize(LseekIn.SIZE);
        yield new FuseOperation.Lseek(
            handle(in, LseekIn.FH), in.int64(LseekIn.OFFSET), in.int32(LseekIn.WHENCE));
      }
      case COPY_FILE_RANGE, COPY_FILE_RANGE_64 ->
          new FuseOperation.CopyFileRange(
              handle(in, CopyFileRangeIn.FH_IN),
              in.int64(CopyFileRangeIn.OFF_IN),
              inode(in, CopyFileRangeIn.NODEID_OUT),
              handle(in, CopyFileRangeIn.FH_OUT),
              in.int64(CopyFileRangeIn.OFF_OUT),
              in.int64(CopyFileRangeIn.LEN),
              in.int64(CopyFileRangeIn.FLAGS));
      case SYNCFS -> new FuseOperation.SyncFs();
      case STATX ->
          new FuseOperation.Statx(
              in.int32(StatxIn.GETATTR_FLAGS),
              handle(in, StatxIn.FH),
              in.int32(StatxIn.SX_FLAGS),
              in.int32(StatxIn.SX_MASK));
      case INIT, INTERRUPT, DESTROY, NOTIFY_REPLY, SETUPMAPPING, REMOVEMAPPING ->
          throw new IllegalStateException(opcode + " is no operation");
    };
  }

  private static InodeNo inode(MessageBody in, int offset) throws MalformedMessageException {
    return new InodeNo(in.int64(offset));
  }

  private static FileHandle handle(MessageBody in, int offset) throws MalformedMessageException {
    return new FileHandle(in.int64(offset));
  }

  private static FuseLockOwner owner(MessageBody in, int offset) throws MalformedMessageException {
    return new FuseLockOwner(in.int64(offset));
  }

  private static int readLength(MessageBody in) throws MalformedMessageException {
    int length = in.length(ReadIn.LENGTH);
    if (length > MAX_READ_BYTES) {
      throw new MalformedMessageException(length + " bytes asked for");
    }
    return length;
  }

  private static FuseOperation batchForget(MessageBody in) throws MalformedMessageException {
    int count = in.int32(BatchForgetIn.COUNT);
    int room = (in.size() - BatchForgetIn.SIZE) / ForgetOne.SIZE;
    if (count < 0 || count > room) {
      throw new MalformedMessageException(
          Integer.toUnsignedString(count) + " rows where " + room + " fit");
    }
    List<FuseOperation.BatchForget.Row> rows = new ArrayList<>(count);
    for (int row = 0; row < count; row++) {
      int offset = BatchForgetIn.SIZE + row * ForgetOne.SIZE;
      rows.add(
          new FuseOperation.BatchForget.Row(
              inode(in, offset + ForgetOne.NODEID), in.int64(offset + ForgetOne.NLOOKUP)));
    }
    return new FuseOperation.BatchForget(List.copyOf(rows));
  }

  private static FuseOperation setAttr(MessageBody in) throws MalformedMessageException {
    in.requireSize(SetAttrIn.SIZE);
    return new FuseOperation.SetAttr(
        in.int32(SetAttrIn.VALID),
        handle(in, SetAttrIn.FH),
        in.int64(SetAttrIn.ST_SIZE),
        owner(in, SetAttrIn.LOCK_OWNER),
        KernelTime.join(in.int64(SetAttrIn.ATIME), in.int32(SetAttrIn.ATIMENSEC)),
        KernelTime.join(in.int64(SetAttrIn.MTIME), in.int32(SetAttrIn.MTIMENSEC)),
        KernelTime.join(in.int64(SetAttrIn.CTIME), in.int32(SetAttrIn.CTIMENSEC)),
        in.int32(SetAttrIn.MODE),
        in.int32(SetAttrIn.UID),
        in.int32(SetAttrIn.GID));
  }

  private static FuseOperation rename(MessageBody in, int names, InodeNo newParent, int flags)
      throws MalformedMessageException {
    byte[] name = in.name(names);
    byte[] newName = in.name(names + name.length + 1);
    return new FuseOperation.Rename(name, newParent, newName, flags);
  }

  private static FuseOperation write(MessageBody in) throws MalformedMessageException {
    int size = in.length(WriteIn.LENGTH);
    if (in.size() - WriteIn.SIZE != size) {
      throw new MalformedMessageException(
          "size " + size + " with " + (in.size() - WriteIn.SIZE) + " bytes of data");
    }
    return new FuseOperation.Write(
        handle(in, WriteIn.FH),
        in.int64(WriteIn.OFFSET),
        in.bytes(WriteIn.SIZE, size),
        in.int32(WriteIn.WRITE_FLAGS),
        owner(in, WriteIn.LOCK_OWNER),
        in.int32(WriteIn.FLAGS));
  }

  private FuseOperation setXattr(MessageBody in) throws MalformedMessageException {
    int names = longSetXattr ? SetXattrExtIn.SIZE : SetXattrIn.SIZE;
    byte[] name = in.name(names);
    return new FuseOperation.SetXattr(
        name,
        in.bytes(names + name.length + 1, in.length(SetXattrIn.LENGTH)),
        in.int32(SetXattrIn.FLAGS),
        longSetXattr ? in.int32(SetXattrExtIn.SETXATTR_FLAGS) : 0);
  }

  private static FuseOperation setLk(MessageBody in, boolean wait)
      throws MalformedMessageException {
    return new FuseOperation.SetLk(
        handle(in, LockIn.FH), owner(in, LockIn.OWNER), lock(in), in.int32(LockIn.LK_FLAGS), wait);
  }

  private static FuseLock lock(MessageBody in) throws MalformedMessageException {
    in.requireSize(LockIn.SIZE);
    return new FuseLock(
        in.int64(LockIn.LK + FileLock.START),
        in.int64(LockIn.LK + FileLock.END),
        in.int32(LockIn.LK + FileLock.TYPE),
        in.int32(LockIn.LK + FileLock.PID));
  }

  private static FuseOperation ioctl(MessageBody in) throws MalformedMessageException {
    return new FuseOperation.Ioctl(
        handle(in, IoctlIn.FH),
        in.int32(IoctlIn.FLAGS),
        in.int32(IoctlIn.CMD),
        in.int64(IoctlIn.ARG),
        in.bytes(IoctlIn.SIZE, in.length(IoctlIn.IN_SIZE)),
        in.length(IoctlIn.OUT_SIZE));
  }
}
