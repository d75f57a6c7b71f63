package io.hypersync.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;

/**
 * Sends a small datagram to a thread that sends it back: the least communication two daemons need.
 */
final class LoopbackWork implements Work {
  private static final int BYTES = 200;

  private final DatagramChannel here = open();
  private final DatagramChannel there = open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);

  LoopbackWork() throws IOException {
    here.connect(there.getLocalAddress());
    there.connect(here.getLocalAddress());
    Thread.ofPlatform().name("loopback").daemon().start(this::sendBack);
  }

  @Override
  public void run() throws IOException {
    here.write(buffer.clear());
    here.read(buffer.clear());
  }

  @Override
  public void close() throws IOException {
    there.close();
    here.close();
  }

  private void sendBack() {
    ByteBuffer received = ByteBuffer.allocateDirect(BYTES);
    try {
      while (true) {
        there.read(received.clear());
        there.write(received.flip());
      }
    } catch (ClosedChannelException end) {
      return; // the measurement has ended
    } catch (IOException e) {
      close(here); // fails the thread that waits for an answer
    }
  }

  private static void close(DatagramChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static DatagramChannel open() throws IOException {
    return DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }
}
