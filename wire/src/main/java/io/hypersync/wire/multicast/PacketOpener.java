package io.hypersync.wire.multicast;

import static io.hypersync.wire.multicast.MulticastPackets.HEADER_BYTES;
import static io.hypersync.wire.multicast.MulticastPackets.TAG_BYTES;
import static io.hypersync.wire.multicast.MulticastPackets.U32;
import static io.hypersync.wire.multicast.MulticastPackets.U64;

import io.hypersync.wire.codec.ProtocolException;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Checks packets that came to the group, which anybody on the network can send. The cheap checks
 * are first, and nothing is kept of a packet before its tag is right. Not thread-safe.
 */
public final class PacketOpener {
  /** What a packet is. */
  public enum Verdict {
    /** The leader's, with a symbol. */
    SYMBOL,
    /** The leader's, with nothing in it. */
    BEACON,
    /** No packet of this format. */
    FOREIGN,
    /** Of another run of the leader, or another leader. */
    OTHER_EPOCH,
    /** It has come before, or is so old that nobody knows. */
    REPLAYED,
    /** Its tag is wrong, or what is in it is no symbol. */
    FORGED;

    /** Whether it is the leader's, and new. */
    public boolean isTaken() {
      return this == SYMBOL || this == BEACON;
    }
  }

  private final Cipher cipher = MulticastPackets.cipher();
  private final byte[] plain = new byte[MulticastPackets.MAX_BYTES_IPV4];
  private final ReplayWindow window = new ReplayWindow();
  private final SecretKeySpec key;
  private final long epoch;
  private @Nullable ChunkSymbol symbol;

  /**
   * Nothing has come yet.
   *
   * @param epoch names the run of the sender
   * @param key the sender's, 32 bytes
   */
  public PacketOpener(long epoch, byte[] key) {
    this.epoch = epoch;
    this.key = new SecretKeySpec(Arrays.copyOf(key, key.length), MulticastPackets.KEY_KIND);
  }

  /**
   * Looks at a packet.
   *
   * @param packet it begins at the first byte
   * @param length of the packet in bytes, at most that of the array
   */
  public Verdict open(byte[] packet, int length) {
    symbol = null;
    if (length < HEADER_BYTES + TAG_BYTES
        || length > MulticastPackets.MAX_BYTES_IPV4
        || (int) U32.get(packet, 0) != MulticastPackets.MAGIC) {
      return Verdict.FOREIGN;
    }
    if ((long) U64.get(packet, MulticastPackets.EPOCH_AT) != epoch) {
      return Verdict.OTHER_EPOCH;
    }
    long number = (long) U64.get(packet, MulticastPackets.NUMBER_AT);
    if (number <= 0 || number > MulticastPackets.LAST_NUMBER) {
      return Verdict.FORGED; // before the window is asked, which would have to hold it
    }
    if (!window.isNew(number)) {
      return Verdict.REPLAYED;
    }
    int bytes;
    try {
      cipher.init(Cipher.DECRYPT_MODE, key, MulticastPackets.nonce(number));
      cipher.updateAAD(packet, 0, HEADER_BYTES);
      bytes = cipher.doFinal(packet, HEADER_BYTES, length - HEADER_BYTES, plain, 0);
    } catch (GeneralSecurityException e) {
      return Verdict.FORGED;
    }
    window.add(number); // only now: a forged number must not move the window
    return bytes == 0 ? Verdict.BEACON : decoded(bytes);
  }

  private Verdict decoded(int bytes) {
    try {
      ChunkSymbol found = SymbolFrames.decode(plain, 0, bytes);
      if (found.push() != ChunkSymbol.TO_ALL) {
        return Verdict.FORGED;
      }
      symbol = found;
      return Verdict.SYMBOL;
    } catch (ProtocolException e) {
      return Verdict.FORGED; // by one who has the key
    }
  }

  /** The symbol of the packet that was opened last, if its verdict was so; else null. */
  public @Nullable ChunkSymbol symbol() {
    return symbol;
  }

  /** The highest number of a packet of the leader's; 0 before the first one. */
  public long newest() {
    return window.newest();
  }
}
