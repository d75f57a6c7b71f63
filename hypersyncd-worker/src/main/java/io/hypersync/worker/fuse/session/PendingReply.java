package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.DirectoryBuffer;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseEntry;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseReplyEncoder;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import io.hypersync.worker.fuse.protocol.FuseStatx;
import io.hypersync.worker.fuse.protocol.RequestHeader;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers a request once, through the channel that it arrived on. Thread-safe. */
final class PendingReply implements FuseReply {
  private static final Logger LOG = LoggerFactory.getLogger(PendingReply.class);

  private enum State {
    /** Unanswered. */
    OPEN,
    /** Answered by the owner of this reply. */
    ANSWERED,
    /** Answered by the session in place of the owner, whose own reply comes too late. */
    ABANDONED
  }

  private final RequestHeader request;
  private final KernelChannel channel;
  private final InFlightTable inFlight;
  private final FuseCounters counters;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private volatile boolean withHandler;

  /** Accessed only by the current owner of the request. */
  private long receivedNs;

  PendingReply(
      RequestHeader request,
      long receivedNs,
      KernelChannel channel,
      InFlightTable inFlight,
      FuseCounters counters) {
    this.receivedNs = receivedNs;
    this.request = request;
    this.channel = channel;
    this.inFlight = inFlight;
    this.counters = counters;
  }

  @Override
  public RequestId unique() {
    return request.unique();
  }

  int pid() {
    return request.pid();
  }

  @Override
  public long takeReceivedNs() {
    long taken = receivedNs;
    receivedNs = 0;
    return taken;
  }

  @Override
  public void error(Errno errno) {
    if (claim()) {
      sendError(errno);
    }
  }

  /** The handler has the request: an interrupt that is reported from now on cannot overtake it. */
  void handedOver() {
    withHandler = true;
  }

  boolean isWithHandler() {
    return withHandler;
  }

  /**
   * Answers with the error unless answered already. Unlike {@link #error}, a later reply of the
   * owner is then no mistake.
   */
  void abandon(Errno errno) {
    if (request.opcode().isAnswered() && state.compareAndSet(State.OPEN, State.ABANDONED)) {
      inFlight.remove(this);
      sendError(errno);
    }
  }

  @Override
  public void ok() {
    succeed();
  }

  @Override
  public void entry(FuseEntry entry) {
    succeed(FuseReplyEncoder.entry(entry));
  }

  @Override
  public void negativeEntry(long ttlNs) {
    succeed(FuseReplyEncoder.negativeEntry(ttlNs));
  }

  @Override
  public void attr(FuseAttr attr, long ttlNs) {
    succeed(FuseReplyEncoder.attr(attr, ttlNs));
  }

  @Override
  public void open(FileHandle fh, int flags) {
    succeed(FuseReplyEncoder.open(fh, flags));
  }

  @Override
  public void create(FuseEntry entry, FileHandle fh, int flags) {
    succeed(FuseReplyEncoder.create(entry, fh, flags));
  }

  @Override
  public void write(int size) {
    succeed(FuseReplyEncoder.write(size));
  }

  @Override
  public void data(byte[]... parts) {
    ByteBuffer[] body = new ByteBuffer[parts.length];
    for (int i = 0; i < parts.length; i++) {
      body[i] = ByteBuffer.wrap(parts[i]);
    }
    succeed(body);
  }

  @Override
  public void statfs(FuseStatFs totals) {
    succeed(FuseReplyEncoder.statFs(totals));
  }

  @Override
  public void xattrSize(int size) {
    succeed(FuseReplyEncoder.xattrSize(size));
  }

  @Override
  public void directory(DirectoryBuffer rows) {
    succeed(rows.bytes());
  }

  @Override
  public void lseek(long offset) {
    succeed(FuseReplyEncoder.lseek(offset));
  }

  @Override
  public void copied(long bytes) {
    succeed(
        request.opcode() == FuseOpcode.COPY_FILE_RANGE_64
            ? FuseReplyEncoder.copied64(bytes)
            : FuseReplyEncoder.write((int) bytes));
  }

  @Override
  public void statx(FuseStatx statx, long ttlNs) {
    succeed(FuseReplyEncoder.statx(statx, ttlNs));
  }

  @Override
  public void lock(FuseLock lock) {
    succeed(FuseReplyEncoder.lock(lock));
  }

  @Override
  public void noReply() {
    if (request.opcode().isAnswered()) {
      LOG.error("{} has an answer: answering EIO", request);
      error(Errno.EIO);
    }
  }

  /** Claims the right to answer; false, after logging a double reply, if it is gone. */
  private boolean claim() {
    if (!request.opcode().isAnswered()) {
      return false;
    }
    State before = state.compareAndExchange(State.OPEN, State.ANSWERED);
    switch (before) {
      case OPEN -> {}
      case ANSWERED -> {
        counters.doubleReply();
        LOG.error("second answer to {} dropped", request, new IllegalStateException("came here"));
        return false;
      }
      case ABANDONED -> {
        counters.lateReply();
        return false;
      }
    }
    inFlight.remove(this);
    return true;
  }

  private void succeed(ByteBuffer... body) {
    if (!claim()) {
      return;
    }
    int bodyBytes = 0;
    for (ByteBuffer part : body) {
      bodyBytes += part.remaining();
    }
    ByteBuffer[] message = new ByteBuffer[body.length + 1];
    message[0] = FuseReplyEncoder.header(unique(), bodyBytes);
    System.arraycopy(body, 0, message, 1, body.length);
    Errno refusal = channel.send(message);
    account(refusal, false);
    if (refusal != null && !isLate(refusal)) {
      // Without this the caller would wait for ever after a malformed reply.
      sendError(Errno.EIO);
    }
  }

  private void sendError(Errno errno) {
    account(channel.send(FuseReplyEncoder.error(unique(), errno)), true);
  }

  private void account(@Nullable Errno refusal, boolean error) {
    if (refusal == null) {
      counters.reply(error);
    } else if (isLate(refusal)) {
      counters.lateReply();
    } else {
      counters.refusedReply();
      LOG.error("the kernel refused the answer to {}: {}", request, refusal.message());
    }
  }

  /** ENOENT: the caller was killed in the meantime; ENODEV: the mount is gone. */
  private static boolean isLate(Errno refusal) {
    return refusal == Errno.ENOENT || refusal == Errno.ENODEV;
  }
}
