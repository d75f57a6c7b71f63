package io.hypersync.wire.admission;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Issues and checks retry tokens, which prove a client's address (RFC 9000 8.1.4): whoever returns
 * one has recently received it at that address from this process. Issuing one keeps no state.
 *
 * <pre>
 *  0         1               9                    25
 * +---------+---------------+--------------------+---------------------------+
 * | ver u8  | issued, ms    | HMAC-SHA256, first | original destination      |
 * |   = 1   | u64           | 16 bytes           | connection id, 8 to 20 B  |
 * +---------+---------------+--------------------+---------------------------+
 * </pre>
 *
 * <p>The HMAC covers version, time, port, address and connection id. Its key is random and lives as
 * long as the process. A token can be used repeatedly from its address until it expires; {@link
 * HandshakeAdmission} limits what that costs. Not thread-safe.
 */
public final class AddressTokens {
  /** Length of the longest token. */
  public static final int MAX_BYTES = 45;

  /** Offset of the connection id. */
  public static final int HEADER_BYTES = 25;

  private static final byte VERSION = 1;
  private static final int MAC_AT = 9;
  private static final int MAC_BYTES = HEADER_BYTES - MAC_AT;

  /** Bounds of the connection id's length: RFC 9000 7.2 and 17.2. */
  private static final int MIN_ID_BYTES = 8;

  private static final int MAX_ID_BYTES = MAX_BYTES - HEADER_BYTES;

  private static final String ALGORITHM = "HmacSHA256";

  private final Mac mac;
  private final long lifeMs;

  /**
   * Makes an issuer with one key.
   *
   * @param key 32 random bytes
   * @param lifeMs how long a token is valid
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

  /**
   * Whether RFC 9000 lets a client choose a destination connection id of that length in its first
   * packet.
   */
  public static boolean isLength(int idBytes) {
    return idBytes >= MIN_ID_BYTES && idBytes <= MAX_ID_BYTES;
  }

  /**
   * A token for the sender of an initial packet.
   *
   * @param address its IP address, 4 or 16 bytes
   * @param id the packet's destination connection id, of a length that {@link #isLength} accepts
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
   * Whether a token was issued by this process to this address and port and has not expired.
   * Accepts any bytes as token.
   *
   * @param nowMs the time of the clock that the token was issued by
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
