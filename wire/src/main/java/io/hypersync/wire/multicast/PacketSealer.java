package io.hypersync.wire.multicast;

import static io.hypersync.wire.multicast.MulticastPackets.HEADER_BYTES;
import static io.hypersync.wire.multicast.MulticastPackets.U32;
import static io.hypersync.wire.multicast.MulticastPackets.U64;

import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkSymbol;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Makes multicast packets and numbers them. There must be one for each key, as no two packets of a
 * key may have the same number. Not thread-safe.
 */
public final class PacketSealer {
  private final Cipher cipher = MulticastPackets.cipher();
  private final byte[] plain = new byte[MulticastPackets.MAX_BYTES_IPV4];
  private final SecretKeySpec key;
  private final long epoch;
  private long number;

  /**
   * A sealer that has made no packet.
   *
   * @param epoch names this sender
   * @param key 32 random bytes that nobody has used
   */
  public PacketSealer(long epoch, byte[] key) {
    this.epoch = epoch;
    this.key = new SecretKeySpec(Arrays.copyOf(key, key.length), MulticastPackets.KEY_KIND);
  }

  /** Whether there is a number for another packet. */
  public boolean canSeal() {
    return number < MulticastPackets.LAST_NUMBER;
  }

  /**
   * Makes the next packet.
   *
   * @param symbol what is in it; null for a beacon
   * @param packet filled from its begin on; {@link MulticastPackets#MAX_BYTES_IPV4} or longer
   * @return the number of its bytes
   * @throws IllegalStateException if all numbers are used
   */
  public int seal(@Nullable ChunkSymbol symbol, byte[] packet) {
    if (!canSeal()) {
      throw new IllegalStateException("all packet numbers of this key are used");
    }
    number++; // before anything can fail: a number is never used twice
    U32.set(packet, 0, MulticastPackets.MAGIC);
    U64.set(packet, MulticastPackets.EPOCH_AT, epoch);
    U64.set(packet, MulticastPackets.NUMBER_AT, number);
    int length = symbol == null ? 0 : SymbolFrames.encode(symbol, plain, 0);
    try {
      cipher.init(Cipher.ENCRYPT_MODE, key, MulticastPackets.nonce(number));
      cipher.updateAAD(packet, 0, HEADER_BYTES);
      return HEADER_BYTES + cipher.doFinal(plain, 0, length, packet, HEADER_BYTES);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a packet cannot be encrypted", e);
    }
  }
}
