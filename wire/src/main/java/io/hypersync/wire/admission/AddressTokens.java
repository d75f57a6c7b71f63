package io.hypersync.wire.admission;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tokens that prove an address (RFC 9000 8.1.4): whoever sends one back has received it there, not
 * long ago, from this process. Nothing has to be remembered for one.
 *
 * <pre>
 *  0         1               9                    25
 * +---------+---------------+--------------------+---------------------------+
 * | ver u8  | issued, ms    | HMAC-SHA256, first | original destination      |
 * |   = 1   | u64           | 16 bytes           | connection id, 8 to 20 B  |
 * +---------+---------------+--------------------+---------------------------+
 * </pre>
 *
 * The HMAC is over version, time, port, address and connection id. Its key is random and of the
 * process. A token can be used again while it lives, from its address: what that costs is limited
 * by {@link HandshakeAdmission}. Used by one thread.
 */
public final class AddressTokens {
  /** The longest token. */
  public static final int MAX_BYTES = 45;

  /** Where the connection id begins. */
  public static final int HEADER_BYTES = 25;

  private static final byte VERSION = 1;
  private static final int MAC_AT = 9;
  private static final int MAC_BYTES = HEADER_BYTES - MAC_AT;

  /** RFC 9000 7.2 and 17.2. */
  private static final int MIN_ID_BYTES = 8;

  private static final int MAX_ID_BYTES = MAX_BYTES - HEADER_BYTES;

  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final long lifeMs;

  /**
   * Makes tokens of one key.
   *
   * @param key 32 random bytes
   * @param lifeMs how long a token counts
   */
  public AddressTokens(byte[] key, long lifeMs) {
    this.lifeMs = lifeMs;
    try {
      mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }

  /** Whether a client may choose a connection id of that length for its first packet. */
  public static boolean isLength(int idBytes) {
    return idBytes >= MIN_ID_BYTES && idBytes <= MAX_ID_BYTES;
  }

  /**
   * A token for who has sent a first packet.
   *
   * @param id that the packet was sent to, of a length that {@link #isLength} takes
   * @param nowMs the time of a monotonic clock
   */
  public byte[] issue(byte[] address, int port, byte[] id, long nowMs) {
    byte[] code = code(nowMs, address, port, id);
    return ByteBuffer.allocate(HEADER_BYTES + id.length)
        .put(VERSION)
        .putLong(nowMs)
        .put(code)
        .put(id)
        .array();
  }

  /**
   * Whether a token is one of ours, was given to this address, and lives. Total: a token can be any
   * bytes.
   *
   * @param nowMs the time of the clock that it was issued by
   */
  public boolean proves(byte[] token, byte[] address, int port, long nowMs) {
    if (!isLength(token.length - HEADER_BYTES) || token[0] != VERSION) {
      return false;
    }
    ByteBuffer fields = ByteBuffer.wrap(token);
    long issuedMs = fields.getLong(1);
    byte[] id = Arrays.copyOfRange(token, HEADER_BYTES, token.length);
    byte[] code = Arrays.copyOfRange(token, MAC_AT, HEADER_BYTES);
    long ageMs = nowMs - issuedMs;
    return MessageDigest.isEqual(code, code(issuedMs, address, port, id))
        && ageMs >= 0
        && ageMs <= lifeMs;
  }

  private byte[] code(long issuedMs, byte[] address, int port, byte[] id) {
    mac.update(
        ByteBuffer.allocate(1 + Long.BYTES + Integer.BYTES + 1)
            .put(VERSION)
            .putLong(issuedMs)
            .putInt(port)
            .put((byte) address.length)
            .array());
    mac.update(address);
    return Arrays.copyOf(mac.doFinal(id), MAC_BYTES);
  }
}
