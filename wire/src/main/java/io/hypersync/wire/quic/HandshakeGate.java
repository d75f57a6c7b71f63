package io.hypersync.wire.quic;

import io.hypersync.wire.admission.AddressTokens;
import io.hypersync.wire.admission.HandshakeAdmission;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.admission.HandshakeLimits;
import io.hypersync.wire.admission.RecentlyAsked;
import io.hypersync.wire.admission.SourceNetwork;
import io.hypersync.wire.admission.UnauthenticatedPeerReport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.incubator.codec.quic.QuicTokenHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Decides for the QUIC codec whether a new connection may begin. It is called for initial packets
 * only, never for packets of an existing connection. Used by the thread of the socket only.
 */
final class HandshakeGate implements QuicTokenHandler {
  /** Tells QUIC that the packet has no valid token. */
  private static final int REFUSED = -1;

  private final HandshakeAdmission admission;
  private final AddressTokens tokens;
  private final RecentlyAsked recent;
  private final UnauthenticatedPeerReport report;
  private final IntSupplier unopened;
  private final LongSupplier clockNs;
  private long begun;
  private long opened;
  private long failed;
  private long asked;
  private long refused;
  private long badTokens;
  private long stray;

  /**
   * Makes QUIC drop the packet that it is asking about. It has no stack trace, since none is ever
   * read.
   */
  private static final class Dropped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Dropped() {
      super("a first packet too many", null, false, false);
    }
  }

  /**
   * Makes a gate that has seen no packets.
   *
   * @param key 32 random bytes, for the retry tokens
   * @param seed random and independent of the key, for the table of recent initial packets
   * @param unopened returns how many connections exist that are not open yet
   * @param clockNs {@link System#nanoTime}, or a test's clock
   */
  HandshakeGate(
      HandshakeLimits limits, byte[] key, long seed, IntSupplier unopened, LongSupplier clockNs) {
    this.admission = new HandshakeAdmission(limits, clockNs.getAsLong());
    this.tokens = new AddressTokens(key, limits.tokenLifeMs());
    this.recent = new RecentlyAsked(seed);
    this.report = new UnauthenticatedPeerReport(clockNs.getAsLong());
    this.unopened = unopened;
    this.clockNs = clockNs;
  }

  @Override
  public int maxTokenLength() {
    return AddressTokens.MAX_BYTES;
  }

  /**
   * Called for an initial packet without a token: true sends a Retry with the token written here.
   */
  @Override
  public boolean writeToken(ByteBuf out, ByteBuf id, InetSocketAddress sender) {
    long nowNs = clockNs.getAsLong();
    if (!AddressTokens.isLength(id.readableBytes())) {
      stray++;
      throw new Dropped();
    }
    byte[] address = sender.getAddress().getAddress();
    byte[] idBytes = ByteBufUtil.getBytes(id);
    if (recent.repeats(address, sender.getPort(), idBytes, nowNs)) {
      // A copy takes no token from the limits that others need.
      refused++;
      throw new Dropped();
    }
    return switch (admission.unproven(unopened.getAsInt(), nowNs)) {
      case BEGIN -> false;
      case PROVE -> {
        asked++;
        recent.asked(address, sender.getPort(), idBytes, nowNs);
        out.writeBytes(
            tokens.issue(address, sender.getPort(), idBytes, TimeUnit.NANOSECONDS.toMillis(nowNs)));
        yield true;
      }
      case DROP -> {
        refused++;
        throw new Dropped();
      }
    };
  }

  /** Called for an initial packet with a token: the offset of the connection id in it, or -1. */
  @Override
  public int validateToken(ByteBuf token, InetSocketAddress sender) {
    long nowNs = clockNs.getAsLong();
    byte[] address = sender.getAddress().getAddress();
    if (token.readableBytes() > AddressTokens.MAX_BYTES
        || !tokens.proves(
            ByteBufUtil.getBytes(token),
            address,
            sender.getPort(),
            TimeUnit.NANOSECONDS.toMillis(nowNs))) {
      badTokens++;
      return REFUSED;
    }
    if (!admission.proven(SourceNetwork.of(address), nowNs)) {
      refused++;
      return REFUSED;
    }
    return AddressTokens.HEADER_BYTES;
  }

  /** Counts a connection that has begun. */
  void begun() {
    begun++;
  }

  /** Counts a connection that has become a worker's. */
  void opened() {
    opened++;
  }

  /** Counts a connection that has ended before it was open. */
  void failed() {
    failed++;
  }

  /** Counts a dropped packet that no worker sends. */
  void stray() {
    stray++;
  }

  HandshakeCounts counts() {
    return new HandshakeCounts(begun, opened, failed, asked, refused, badTokens, stray);
  }

  /** Logs the line about refused peers if one is due. */
  void report(Logger log) {
    String line = report.next(counts(), clockNs.getAsLong());
    if (line != null) {
      log.warn(line);
    }
  }
}
