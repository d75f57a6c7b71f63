package io.hypersync.wire.multicast;

import io.hypersync.wire.codec.SymbolFrames;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;

/**
 * The format of a multicast packet, version 1.
 *
 * <pre>
 *  0        4           12            20                    n - 16           n
 * +--------+-----------+-------------+---------------------+----------------+
 * | "HSM1" | epoch u64 | number u64  | a frame, encrypted  | tag of AES-GCM |
 * +--------+-----------+-------------+---------------------+----------------+
 *  \____ associated data ___________/
 * </pre>
 *
 * <p>Numbers are big-endian. The frame is one of {@link SymbolFrames} with push 0, or empty: a
 * beacon, which tells workers that the group works while there is nothing to send. The key has 256
 * bits. The nonce is four zero bytes and the packet number.
 *
 * <p>A nonce is used once: the key is random, belongs to one sender, which never stores it, and
 * that sender counts its packets from 1 to at most {@link #LAST_NUMBER}. Until then it has
 * encrypted fewer than 2^47 blocks, with which whoever tells the packets from random bytes has an
 * advantage of less than 2^-33.
 */
public final class MulticastPackets {
  /** The most bytes of a packet in IPv4: an Ethernet frame without headers of IP and UDP. */
  public static final int MAX_BYTES_IPV4 = 1_472;

  /** The most bytes of a packet in IPv6. */
  public static final int MAX_BYTES_IPV6 = 1_452;

  /** The highest packet number. Then the sender falls silent until the leader is started again. */
  public static final long LAST_NUMBER = 1L << 40;

  static final int MAGIC = 0x48534d31;
  static final int EPOCH_AT = 4;
  static final int NUMBER_AT = 12;
  static final int HEADER_BYTES = 20;
  static final int TAG_BYTES = 16;

  static final VarHandle U32 = view(int[].class);
  static final VarHandle U64 = view(long[].class);
  static final String CIPHER = "AES/GCM/NoPadding";
  static final String KEY_KIND = "AES";

  private static final int NONCE_BYTES = 12;

  /** What a packet takes beside its symbol, in bytes. */
  public static final int OVERHEAD_BYTES = HEADER_BYTES + SymbolFrames.HEADER_BYTES + TAG_BYTES;

  private MulticastPackets() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.BIG_ENDIAN);
  }

  static Cipher cipher() {
    try {
      return Cipher.getInstance(CIPHER);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK has no " + CIPHER, e);
    }
  }

  static GCMParameterSpec nonce(long number) {
    byte[] nonce = new byte[NONCE_BYTES];
    U64.set(nonce, NONCE_BYTES - Long.BYTES, number);
    return new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce);
  }
}
