package io.hypersync.wire.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tokens prove an address and which do not. */
class AddressTokensTest {
  private static final long LIFE_MS = 10_000;
  private static final long NOW_MS = 123_456_789;
  private static final int PORT = 4711;
  private static final byte[] ADDRESS = {127, 0, 0, 1};
  private static final byte[] ID = {1, 2, 3, 4, 5, 6, 7, 8};

  private final AddressTokens tokens = new AddressTokens(new byte[32], LIFE_MS);

  @ParameterizedTest
  @ValueSource(ints = {8, 20})
  void aTokenProvesTheAddressThatItWasGivenToWhileItLives(int idBytes) {
    byte[] id = new byte[idBytes];
    Arrays.fill(id, (byte) 9);
    byte[] token = tokens.issue(ADDRESS, PORT, id, NOW_MS);
    assertTrue(token.length <= AddressTokens.MAX_BYTES);
    assertTrue(tokens.proves(token, ADDRESS, PORT, NOW_MS));
    assertTrue(tokens.proves(token, ADDRESS, PORT, NOW_MS + LIFE_MS));
    assertFalse(tokens.proves(token, ADDRESS, PORT, NOW_MS + LIFE_MS + 1), "it is too old");
    assertFalse(tokens.proves(token, ADDRESS, PORT, NOW_MS - 1), "it is not issued yet");
    assertFalse(tokens.proves(token, ADDRESS, PORT + 1, NOW_MS), "another port");
    assertFalse(tokens.proves(token, new byte[] {127, 0, 0, 2}, PORT, NOW_MS), "another address");
    assertFalse(tokens.proves(token, new byte[16], PORT, NOW_MS), "another kind of address");
    byte[] found = Arrays.copyOfRange(token, AddressTokens.HEADER_BYTES, token.length);
    assertEquals(Arrays.toString(id), Arrays.toString(found), "QUIC finds the connection id there");
  }

  @Test
  void aTokenOfAnotherProcessProvesNothing() {
    byte[] key = new byte[32];
    key[31] = 1;
    byte[] token = new AddressTokens(key, LIFE_MS).issue(ADDRESS, PORT, ID, NOW_MS);
    assertFalse(tokens.proves(token, ADDRESS, PORT, NOW_MS));
  }

  @Test
  void noBitOfATokenCanBeChanged() {
    byte[] token = tokens.issue(ADDRESS, PORT, ID, NOW_MS);
    for (int bit = 0; bit < token.length * Byte.SIZE; bit++) {
      byte[] changed = token.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      assertFalse(tokens.proves(changed, ADDRESS, PORT, NOW_MS), "bit " + bit);
    }
    for (int length = 0; length < token.length; length++) {
      assertFalse(tokens.proves(Arrays.copyOf(token, length), ADDRESS, PORT, NOW_MS));
    }
  }

  @Test
  void anyBytesAreNoToken() {
    Random random = new Random(20_260);
    for (int i = 0; i < 10_000; i++) {
      byte[] bytes = new byte[random.nextInt(2 * AddressTokens.MAX_BYTES)];
      random.nextBytes(bytes);
      assertFalse(tokens.proves(bytes, ADDRESS, PORT, NOW_MS));
    }
  }
}
