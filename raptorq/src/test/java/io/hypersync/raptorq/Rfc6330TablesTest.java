package io.hypersync.raptorq;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The tables of RFC 6330")
final class Rfc6330TablesTest {
  private static final List<SystematicIndex> ROWS = Rfc6330Tables.INSTANCE.rows();

  @Test
  @DisplayName("have 477 rows from K' = 10 to 56,403, and four times 256 numbers")
  void sizes() {
    assertEquals(477, ROWS.size());
    assertEquals(new SystematicIndex(10, 254, 7, 10, 17), ROWS.getFirst());
    assertEquals(new SystematicIndex(56403, 471, 907, 16, 56951), ROWS.getLast());
    for (int table = 0; table < 4; table++) {
      assertEquals(256, Rfc6330Tables.INSTANCE.random(table).length);
    }
  }

  @Test
  @DisplayName("say what section 5.6 says of all rows: K' ascends, S and W are primes")
  void facts() {
    int before = 0;
    for (SystematicIndex row : ROWS) {
      assertTrue(row.paddedSymbols() > before, row::toString);
      assertTrue(isPrime(row.ldpcSymbols()), row::toString);
      assertTrue(isPrime(row.ltSymbols()), row::toString);
      assertTrue(row.sourceLikeSymbols() > 0, row::toString);
      assertTrue(row.permanentlyInactive() >= row.hdpcSymbols(), row::toString);
      assertTrue(isPrime(row.inactivePrime()), row::toString);
      assertTrue(row.inactivePrime() >= row.permanentlyInactive(), row::toString);
      before = row.paddedSymbols();
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 10", "10, 10", "11, 12", "52, 55", "820, 821", "1020, 1020", "1024, 1032"})
  @DisplayName("give K the next K'")
  void padding(int k, int padded) {
    assertEquals(padded, SystematicIndex.of(k).paddedSymbols());
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, 1025, Integer.MAX_VALUE})
  @DisplayName("are not asked for a K that a block cannot have")
  void refusals(int k) {
    assertThrows(IllegalArgumentException.class, () -> SystematicIndex.of(k));
    assertThrows(IllegalArgumentException.class, () -> Code.of(k));
  }

  private static boolean isPrime(int number) {
    return BigInteger.valueOf(number).isProbablePrime(50);
  }
}
