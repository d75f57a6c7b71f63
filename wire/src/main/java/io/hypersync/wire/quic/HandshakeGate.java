package io.hypersync.wire.quic;

import io.hypersync.wire.admission.AddressTokens;
import io.hypersync.wire.admission.HandshakeAdmission;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.admission.HandshakeLimits;
import io.hypersync.wire.admission.RecentlyAsked;
import io.hypersync.wire.admission.SourceNetwork;
import io.hypersync.wire.admission.StrangerReport;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.incubator.codec.quic.QuicTokenHandler;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Where QUIC asks before it begins a connection: it comes here with first packets only, never with
 * one of a connection that there is. Used by the thread of the socket only.
 */
final class HandshakeGate implements QuicTokenHandler {
  /** What QUIC takes for "no token that counts". */
  private static final int REFUSED = -1;

  private final HandshakeAdmission admission;
  private final AddressTokens tokens;
  private final RecentlyAsked recent;
  private final StrangerReport report;
  private final IntSupplier unopened;
  private final LongSupplier clockNs;
  private long begun;
  private long opened;
  private long failed;
  private long asked;
  private long refused;
  private long badTokens;
  private long stray;

  /** QUIC drops the packet with which it came here; nobody looks at where it was thrown. */
  private static final class Dropped extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Dropped() {
      super("a first packet too many", null, false, false);
    }
  }

  /**
   * Nobody has come yet.
   *
   * @param key of tokens, 32 random bytes
   * @param seed of what is remembered of first packets: random, and no part of the key
   * @param unopened how many connections there are that are not open
   * @param clockNs {@link System#nanoTime}, or a test's
   */
  HandshakeGate(
      HandshakeLimits limits, byte[] key, long seed, IntSupplier unopened, LongSupplier clockNs) {
    this.admission = new HandshakeAdmission(limits, clockNs.getAsLong());
    this.tokens = new AddressTokens(key, limits.tokenLifeMs());
    this.recent = new RecentlyAsked(seed);
    this.report = new StrangerReport(clockNs.getAsLong());
    this.unopened = unopened;
    this.clockNs = clockNs;
  }

  @Override
  public int maxTokenLength() {
    return AddressTokens.MAX_BYTES;
  }

  /** A first packet without a token: true asks its sender to come back with this one. */
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
      // Nothing is taken of what others may ask for.
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

  /** A first packet with a token: where in it the connection id begins, or -1. */
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

  /** A connection was begun. */
  void begun() {
    begun++;
  }

  /** A connection that was begun is a worker's. */
  void opened() {
    opened++;
  }

  /** A connection that was begun has ended before it was open. */
  void failed() {
    failed++;
  }

  /** A packet was dropped that no worker sends. */
  void stray() {
    stray++;
  }

  HandshakeCounts counts() {
    return new HandshakeCounts(begun, opened, failed, asked, refused, badTokens, stray);
  }

  /** Writes a line if it is time for one. */
  void report(Logger log) {
    String line = report.next(counts(), clockNs.getAsLong());
    if (line != null) {
      log.warn(line);
    }
  }
}
