package io.hypersync.cli.practice;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.AttrLayouts.EntryOut;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.HeaderLayouts.InHeader;
import io.hypersync.worker.fuse.abi.HeaderLayouts.OutHeader;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.session.DirectSession;
import io.hypersync.worker.fuse.session.FuseHandler;
import io.hypersync.worker.fuse.session.FuseSessionOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The kernel's side of {@code /dev/fuse} for one caller, who is root: writes requests as bytes, and
 * reads what answers them. Single-threaded.
 */
final class PracticeKernel implements KernelChannel {
  private static final int PID = 1;

  /** Turns in which nothing was done after which a request counts as lost. */
  private static final int IDLE_TURNS = 1_000;

  private final DirectSession session;
  private final BooleanSupplier turn;
  private long unique;
  private @Nullable ByteBuffer reply;

  /**
   * A kernel that knows of no mount yet.
   *
   * @param turn has both agents work; false if there was nothing to do
   */
  PracticeKernel(FuseHandler filesystem, BooleanSupplier turn) {
    this.session = new DirectSession(FuseSessionOptions.defaults().flags(), filesystem, this);
    this.turn = turn;
  }

  /**
   * Makes a call, and has both agents work until it is answered.
   *
   * @return the answer's body
   * @throws IllegalStateException if it fails, or is not answered
   */
  ByteBuffer call(FuseOpcode opcode, InodeNo node, ByteBuffer body) {
    ByteBuffer answer = answer(opcode, node, body);
    int error = answer.getInt(OutHeader.ERROR);
    if (error != 0) {
      throw new IllegalStateException(opcode + " fails with errno " + -error);
    }
    return answer.slice(OutHeader.SIZE, answer.limit() - OutHeader.SIZE).order(answer.order());
  }

  /** Looks for a name that is not there, which the kernel may then keep as missing, or not. */
  void miss(InodeNo directory, byte[] name) {
    ByteBuffer answer = answer(FuseOpcode.LOOKUP, directory, ByteBuffer.wrap(name));
    int error = -answer.getInt(OutHeader.ERROR);
    boolean isMissing =
        error == Errno.ENOENT.code()
            || (error == 0 && answer.getLong(OutHeader.SIZE + EntryOut.NODEID) == 0);
    if (!isMissing) {
      throw new IllegalStateException("a new name is there, or cannot be looked for: " + error);
    }
  }

  /** Tells something to which there is no answer. */
  void tell(FuseOpcode opcode, InodeNo node, ByteBuffer body) {
    session.handle(message(opcode, node, body));
  }

  private ByteBuffer answer(FuseOpcode opcode, InodeNo node, ByteBuffer body) {
    reply = null;
    session.handle(message(opcode, node, body));
    int idle = 0;
    ByteBuffer got = reply;
    while (got == null) {
      idle = turn.getAsBoolean() ? 0 : idle + 1;
      if (idle > IDLE_TURNS) {
        throw new IllegalStateException(opcode + " is not answered");
      }
      got = reply;
    }
    return got;
  }

  private ByteBuffer message(FuseOpcode opcode, InodeNo node, ByteBuffer body) {
    int length = InHeader.SIZE + body.remaining();
    unique += 2; // as the kernel counts
    ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
    message
        .putInt(InHeader.LEN, length)
        .putInt(InHeader.OPCODE, opcode.code())
        .putLong(InHeader.UNIQUE, unique)
        .putLong(InHeader.NODEID, node.value())
        .putInt(InHeader.PID, PID)
        .put(InHeader.SIZE, body, body.position(), body.remaining());
    return message;
  }

  @Override
  public @Nullable ByteBuffer receive() {
    return null; // requests are handed over
  }

  @Override
  public @Nullable Errno send(ByteBuffer... parts) {
    int length = 0;
    for (ByteBuffer part : parts) {
      length += part.remaining();
    }
    ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
    for (ByteBuffer part : parts) {
      message.put(part.duplicate());
    }
    reply = message.flip();
    return null;
  }

  @Override
  public void close() {}
}
