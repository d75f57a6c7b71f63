package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.dev.KernelConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A fake kernel without a mount: a test puts requests in and takes replies out. */
public final class FakeKernel implements KernelConnection {
  private static final byte[] GONE = {};
  private static final int WAIT_SECONDS = 10;

  private final BlockingQueue<byte[]> requests = new LinkedBlockingQueue<>();
  private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
  private volatile boolean failing;
  private final BlockingQueue<Errno> refusals = new LinkedBlockingQueue<>();
  private final List<FakeChannel> channels = new ArrayList<>();

  /**
   * A message that the session has sent.
   *
   * @param channel the index of the channel that it was sent on
   * @param unique 0 for a notification
   * @param error negative errno, or a notification's code
   */
  public record Reply(int channel, long unique, int error, byte[] body) {
    public ByteBuffer buffer() {
      return ByteBuffer.wrap(body).order(ByteOrder.nativeOrder());
    }
  }

  /** A kernel of version 7.45 that offers all flags, with its INIT waiting to be read. */
  public static FakeKernel ready() {
    FakeKernel kernel = new FakeKernel();
    kernel.init(1, 7, 45, Set.of(InitFlag.values()));
    return kernel;
  }

  public void init(long unique, int major, int minor, Set<InitFlag> offered) {
    long flags = InitFlag.maskOf(offered);
    ByteBuffer body = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
    body.putInt(major).putInt(minor).putInt(131072).putInt((int) flags).putInt((int) (flags >> 32));
    request(unique, FuseOpcode.INIT.code(), 0, body.array());
  }

  /** Adds a request from root about a node. */
  public void request(long unique, int opcode, long nodeId, byte[] body) {
    ByteBuffer message = ByteBuffer.allocate(40 + body.length).order(ByteOrder.nativeOrder());
    message.putInt(40 + body.length).putInt(opcode).putLong(unique).putLong(nodeId);
    message.putInt(0).putInt(0).putInt(4321).putInt(0).put(body);
    raw(message.array());
  }

  public void raw(byte[] message) {
    requests.add(message);
  }

  /** Takes the next message that the session sends; blocks for it. */
  public Reply reply() throws InterruptedException {
    Reply reply = replies.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (reply == null) {
      throw new AssertionError("no reply within " + WAIT_SECONDS + " s");
    }
    return reply;
  }

  /** Whether all messages that were sent have been taken. */
  public boolean isQuiet() {
    return replies.isEmpty();
  }

  /** Makes the kernel refuse the next message. */
  public void refuseNext(Errno errno) {
    refusals.add(errno);
  }

  /** Whether every channel was closed. */
  public boolean allClosed() {
    return channels.stream().allMatch(channel -> channel.closed);
  }

  @Override
  public List<KernelChannel> openChannels(int count, int maxMessageBytes) {
    for (int i = 0; i < count; i++) {
      channels.add(new FakeChannel(i));
    }
    return List.copyOf(channels);
  }

  @Override
  public void disconnect() {
    requests.add(GONE);
  }

  /** From now on nothing can be read from the device. */
  void fail() {
    failing = true;
    requests.add(GONE);
  }

  private final class FakeChannel implements KernelChannel {
    private final int number;
    private volatile boolean closed;

    FakeChannel(int number) {
      this.number = number;
    }

    @Override
    public @Nullable ByteBuffer receive() throws IOException {
      try {
        byte[] message = requests.take();
        if (message.length == 0) {
          requests.add(GONE);
          if (failing) {
            throw new IOException("the device fails");
          }
          return null;
        }
        return ByteBuffer.wrap(message);
      } catch (InterruptedException e) {
        return null;
      }
    }

    @Override
    public @Nullable Errno send(ByteBuffer... parts) {
      if (closed) {
        return Errno.ENODEV;
      }
      int length = 0;
      for (ByteBuffer part : parts) {
        length += part.remaining();
      }
      ByteBuffer message = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
      for (ByteBuffer part : parts) {
        message.put(part.duplicate());
      }
      if (message.getInt(0) != length) {
        throw new AssertionError("length " + message.getInt(0) + " of " + length + " bytes");
      }
      Errno refusal = refusals.poll();
      if (refusal != null) {
        return refusal;
      }
      byte[] body = new byte[length - 16];
      message.get(16, body);
      replies.add(new Reply(number, message.getLong(8), message.getInt(4), body));
      return null;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
