package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.AttrLayouts;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.dev.KernelConnection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A fake kernel that sends generated, mostly damaged messages on every channel and checks every
 * answer. After them come the messages that a test puts in. The first failure is kept and ends the
 * messages.
 */
final class HostileKernel implements KernelConnection {
  private static final byte[] GONE = {};
  private static final int HEADER = 40;
  private static final int REPLY_HEADER = 16;
  private static final int DUMPED = 512;
  private static final Set<Integer> ERRNOS =
      Arrays.stream(Errno.values()).map(Errno::code).collect(Collectors.toUnmodifiableSet());
  private static final Set<FuseOpcode> WITHOUT_BODY =
      EnumSet.of(
          FuseOpcode.UNLINK,
          FuseOpcode.RMDIR,
          FuseOpcode.RENAME,
          FuseOpcode.RENAME2,
          FuseOpcode.RELEASE,
          FuseOpcode.RELEASEDIR,
          FuseOpcode.FSYNC,
          FuseOpcode.FSYNCDIR,
          FuseOpcode.SETXATTR,
          FuseOpcode.REMOVEXATTR,
          FuseOpcode.FALLOCATE,
          FuseOpcode.FLUSH,
          FuseOpcode.SETLK,
          FuseOpcode.SETLKW,
          FuseOpcode.DESTROY);

  private final long seed;
  private final int messagesPerChannel;
  private final KernelMemory nodes = new KernelMemory();
  private final KernelMemory handles = new KernelMemory();
  private final KernelMemory uniques = new KernelMemory();
  private final ConcurrentHashMap<Long, Waiting> waiting = new ConcurrentHashMap<>();
  private final BlockingQueue<byte[]> more = new LinkedBlockingQueue<>();
  private final BlockingQueue<byte[]> answers = new LinkedBlockingQueue<>();
  private final AtomicInteger generating = new AtomicInteger();
  private final AtomicReference<@Nullable String> wrong = new AtomicReference<>();
  private volatile boolean put;

  /**
   * The messages with one unique that wait for an answer: requests that must get one, and
   * interrupts that may.
   *
   * @param alone whether there was only one
   * @param last the newest message
   */
  private record Waiting(int must, int may, boolean alone, String where, byte[] last) {}

  HostileKernel(long seed, int messagesPerChannel) {
    this.seed = seed;
    this.messagesPerChannel = messagesPerChannel;
  }

  /** Records a failure; only the first is kept. */
  void fail(String what, long unique) {
    Waiting request = waiting.get(unique);
    String about = request == null ? "unique " + unique : request.where + ": " + dump(request.last);
    wrong.compareAndSet(null, "seed " + seed + ", " + about + "\n" + what);
  }

  /** The first failure, or null. */
  @Nullable String wrong() {
    return wrong.get();
  }

  /** Whether all messages have been handed out. */
  boolean hasNoMore() {
    return generating.get() == 0;
  }

  /** The number of messages that wait for an answer. */
  long unanswered() {
    return waiting.values().stream().filter(each -> each.must > 0).count();
  }

  /** One message that waits for an answer, or an empty text. */
  String oneUnanswered() {
    return waiting.values().stream()
        .filter(each -> each.must > 0)
        .map(each -> each.where + ": " + dump(each.last))
        .findFirst()
        .orElse("");
  }

  /** Queues a message behind all others. */
  void put(FuseOpcode opcode, long unique, long node, byte[] body) {
    put = true;
    ByteBuffer message =
        ByteBuffer.allocate(HEADER + body.length)
            .order(ByteOrder.nativeOrder())
            .putInt(HEADER + body.length)
            .putInt(opcode.code())
            .putLong(unique)
            .putLong(node)
            .position(HEADER)
            .put(body);
    more.add(message.array());
  }

  /**
   * The body of the next answer to a message that was {@link #put}; fails unless it is a success.
   */
  ByteBuffer answer() throws InterruptedException {
    byte[] answer = answers.poll(10, TimeUnit.SECONDS);
    if (answer == null) {
      throw new AssertionError("no answer");
    }
    ByteBuffer message = ByteBuffer.wrap(answer).order(ByteOrder.nativeOrder());
    if (message.getInt(4) != 0) {
      throw new AssertionError("error " + message.getInt(4));
    }
    return message.position(REPLY_HEADER).slice().order(ByteOrder.nativeOrder());
  }

  @Override
  public List<KernelChannel> openChannels(int count, int maxMessageBytes) {
    List<KernelChannel> channels = new ArrayList<>();
    generating.set(count);
    for (int i = 0; i < count; i++) {
      channels.add(new Channel(i));
    }
    return channels;
  }

  @Override
  public void disconnect() {
    more.add(GONE);
  }

  private static String dump(byte[] message) {
    String hex = HexFormat.of().formatHex(message, 0, Math.min(message.length, DUMPED));
    return message.length + " bytes " + hex;
  }

  /** Records which answer the message, damaged or not, must get. */
  private void sent(byte[] bytes, String where) {
    if (bytes.length < HEADER) {
      return;
    }
    ByteBuffer message = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    FuseOpcode opcode = FuseOpcode.of(message.getInt(4));
    if (opcode != null && !opcode.isAnswered()) {
      return;
    }
    int may = opcode == FuseOpcode.INTERRUPT ? 1 : 0;
    waiting.compute(
        message.getLong(8),
        (_, before) ->
            before == null
                ? new Waiting(1 - may, may, true, where, bytes)
                : new Waiting(before.must + 1 - may, before.may + may, false, where, bytes));
  }

  private void answered(ByteBuffer reply) {
    int error = reply.getInt(4);
    long unique = reply.getLong(8);
    int bodyBytes = reply.limit() - REPLY_HEADER;
    if (reply.getInt(0) != reply.limit()) {
      fail("the answer says " + reply.getInt(0) + " bytes and has " + reply.limit(), unique);
    }
    if (error != 0 && (bodyBytes != 0 || !ERRNOS.contains(-error))) {
      fail("error " + error + " with a body of " + bodyBytes + " bytes", unique);
    }
    Waiting request = waiting.get(unique);
    if (request == null) {
      fail("nobody waits for this answer", unique);
      return;
    }
    if (error == 0 && request.alone) {
      learn(request.last, reply, bodyBytes, unique);
    }
    waiting.computeIfPresent(
        unique,
        (_, now) -> {
          if (now.must + now.may == 1) {
            return null;
          }
          return now.must > 0
              ? new Waiting(now.must - 1, now.may, false, now.where, now.last)
              : new Waiting(0, now.may - 1, false, now.where, now.last);
        });
  }

  /** Checks the answer against its request, and remembers the numbers in it. */
  private void learn(byte[] bytes, ByteBuffer reply, int bodyBytes, long unique) {
    ByteBuffer request = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    FuseOpcode opcode = FuseOpcode.of(request.getInt(4));
    if (opcode == null) {
      fail("a success of what does not exist", unique);
      return;
    }
    boolean fits =
        switch (opcode) {
          case LOOKUP, SYMLINK, MKNOD, MKDIR, LINK -> bodyBytes == AttrLayouts.EntryOut.SIZE;
          case GETATTR, SETATTR -> bodyBytes == AttrLayouts.AttrOut.SIZE;
          case CREATE, TMPFILE -> bodyBytes == AttrLayouts.EntryOut.SIZE + 16;
          case OPEN, OPENDIR -> bodyBytes == 16;
          case READ, READDIR, READDIRPLUS -> bodyBytes <= request.getInt(HEADER + 16);
          case WRITE, COPY_FILE_RANGE, COPY_FILE_RANGE_64, LSEEK -> bodyBytes == 8;
          case GETLK -> bodyBytes == 24;
          case STATFS -> bodyBytes == AttrLayouts.StatFsOut.SIZE;
          case STATX -> bodyBytes == AttrLayouts.StatxOut.SIZE;
          case GETXATTR, LISTXATTR -> {
            int room = request.getInt(HEADER);
            yield room == 0 ? bodyBytes == 8 : bodyBytes <= room;
          }
          case READLINK -> bodyBytes > 0 && bodyBytes < 4096;
          default -> bodyBytes == 0 && WITHOUT_BODY.contains(opcode);
        };
    if (!fits) {
      fail("an answer to " + opcode + " with a body of " + bodyBytes + " bytes", unique);
      return;
    }
    switch (opcode) {
      case LOOKUP, SYMLINK, MKNOD, MKDIR, LINK -> nodes.seen(reply.getLong(REPLY_HEADER));
      case CREATE, TMPFILE -> {
        nodes.seen(reply.getLong(REPLY_HEADER));
        handles.seen(reply.getLong(REPLY_HEADER + AttrLayouts.EntryOut.SIZE));
      }
      case OPEN, OPENDIR -> handles.seen(reply.getLong(REPLY_HEADER));
      default -> {}
    }
  }

  private final class Channel implements KernelChannel {
    private final int number;
    private final GeneratedRequests requests;
    private int count = -1;

    Channel(int number) {
      this.number = number;
      this.requests =
          new GeneratedRequests(seed + number, (long) (number + 1) << 32, nodes, handles, uniques);
    }

    @Override
    public @Nullable ByteBuffer receive() {
      if (count < 0 && number == 0) {
        count = 0;
        return ByteBuffer.wrap(init());
      }
      count = Math.max(count, 0);
      if (count < messagesPerChannel && wrong.get() == null) {
        count++;
        byte[] message = requests.next();
        sent(message, "channel " + number + ", message " + count);
        return ByteBuffer.wrap(message);
      }
      if (count <= messagesPerChannel) {
        count = messagesPerChannel + 1;
        generating.decrementAndGet();
      }
      try {
        byte[] message = more.take();
        if (message.length == 0) {
          more.add(GONE);
          return null;
        }
        sent(message, "the end");
        return ByteBuffer.wrap(message);
      } catch (InterruptedException e) {
        return null;
      }
    }

    private byte[] init() {
      long flags = InitFlag.maskOf(Set.of(InitFlag.values()));
      byte[] bytes = new byte[HEADER + 64];
      ByteBuffer.wrap(bytes)
          .order(ByteOrder.nativeOrder())
          .putInt(bytes.length)
          .putInt(FuseOpcode.INIT.code())
          .putLong(2)
          .position(HEADER)
          .putInt(7)
          .putInt(45)
          .putInt(131_072)
          .putInt((int) flags)
          .putInt((int) (flags >> 32));
      return bytes;
    }

    @Override
    public @Nullable Errno send(ByteBuffer... parts) {
      int length = 0;
      for (ByteBuffer part : parts) {
        length += part.remaining();
      }
      ByteBuffer reply = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
      for (ByteBuffer part : parts) {
        reply.put(part.duplicate());
      }
      reply.flip();
      if (reply.getLong(8) == 2 && !waiting.containsKey(2L)) {
        return null; // the reply to INIT
      }
      answered(reply);
      if (put) {
        answers.add(reply.array());
      }
      return null;
    }

    @Override
    public void close() {}
  }
}
