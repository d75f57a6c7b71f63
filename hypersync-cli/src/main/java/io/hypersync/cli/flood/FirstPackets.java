package io.hypersync.cli.flood;

import io.hypersync.model.id.WorkspaceId;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.pki.Identity;
import io.hypersync.wire.quic.QuicOptions;
import io.hypersync.wire.quic.QuicWorkerClient;
import io.hypersync.wire.transport.ConnectFailure;
import io.hypersync.wire.transport.WorkerTransportListener;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Records first packets of QUIC handshakes, as anybody can copy them who observes a worker
 * connecting: a real worker client connects to a port that never answers.
 */
final class FirstPackets {
  private static final int MAX_DATAGRAM_BYTES = 65_535;
  private static final int PATIENCE_MS = 10_000;

  private FirstPackets() {}

  /**
   * Records packets, each of a new handshake.
   *
   * @param count how many
   * @param identity any identity: a leader sees it only at the end of a handshake
   */
  static List<byte[]> record(int count, Identity identity, WorkspaceId workspace)
      throws IOException, InterruptedException {
    QuicWorkerClient client =
        QuicWorkerClient.create(identity, workspace, new Deaf(), QuicOptions.defaults());
    List<byte[]> packets = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        packets.add(first(client));
      }
      return packets;
    } finally {
      client.shutdown();
    }
  }

  /** Uses a new port each time, so that a retransmission is not taken for the next first packet. */
  private static byte[] first(QuicWorkerClient client) throws IOException, InterruptedException {
    try (DatagramSocket mute =
        new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      mute.setSoTimeout(PATIENCE_MS);
      InetSocketAddress there = (InetSocketAddress) mute.getLocalSocketAddress();
      await(client.executor().submit(() -> client.connect(there)));
      DatagramPacket packet = new DatagramPacket(new byte[MAX_DATAGRAM_BYTES], MAX_DATAGRAM_BYTES);
      mute.receive(packet);
      await(client.executor().submit(client::disconnect));
      return Arrays.copyOf(packet.getData(), packet.getLength());
    }
  }

  private static void await(Future<?> done) throws IOException, InterruptedException {
    try {
      var _ = done.get();
    } catch (ExecutionException e) {
      throw new IOException("cannot record a first packet", e);
    }
  }

  /** Ignores all events: the peer never answers. */
  private static final class Deaf implements WorkerTransportListener {
    @Override
    public void connected(InetSocketAddress leader) {}

    @Override
    public void connectFailed(ConnectFailure failure, String message) {}

    @Override
    public void received(ChunkSymbol symbol) {}

    @Override
    public void received(LeaderMessage message) {}

    @Override
    public void flushPoint() {}

    @Override
    public void writable(StreamKind kind) {}

    @Override
    public void closed(String reason) {}
  }
}
