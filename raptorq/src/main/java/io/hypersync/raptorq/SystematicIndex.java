package io.hypersync.raptorq;

/**
 * A row of table 2 of RFC 6330 (section 5.6): the parameters of the code with K' source symbols.
 *
 * @param paddedSymbols K': source symbols, those of zeros included
 * @param index J(K'): seeds the tuples so that the code is systematic
 * @param ldpcSymbols S(K'): how many LDPC symbols the precode has
 * @param hdpcSymbols H(K'): how many HDPC symbols the precode has
 * @param ltSymbols W(K'): how many of the intermediate symbols are LT symbols
 */
record SystematicIndex(
    int paddedSymbols, int index, int ldpcSymbols, int hdpcSymbols, int ltSymbols) {

  /**
   * The parameters for K source symbols: the row with the smallest K' that has room for them.
   *
   * @throws IllegalArgumentException if K is below 1 or above {@link Code#MAX_SOURCE_SYMBOLS}
   */
  static SystematicIndex of(int sourceSymbols) {
    if (sourceSymbols < 1 || sourceSymbols > Code.MAX_SOURCE_SYMBOLS) {
      throw new IllegalArgumentException(
          "source symbols must be 1 to " + Code.MAX_SOURCE_SYMBOLS + ", not " + sourceSymbols);
    }
    for (SystematicIndex row : Rfc6330Tables.INSTANCE.rows()) {
      if (row.paddedSymbols >= sourceSymbols) {
        return row;
      }
    }
    throw new IllegalStateException("table 2 ends before " + sourceSymbols);
  }

  /** L: all intermediate symbols. */
  int intermediateSymbols() {
    return paddedSymbols + ldpcSymbols + hdpcSymbols;
  }

  /** P: the intermediate symbols that are not LT symbols ("permanently inactive"). */
  int permanentlyInactive() {
    return intermediateSymbols() - ltSymbols;
  }

  /** P1: the smallest prime that is at least P. */
  int inactivePrime() {
    int prime = permanentlyInactive();
    while (!isPrime(prime)) {
      prime++;
    }
    return prime;
  }

  /** B: the LT symbols that are no LDPC symbols. */
  int sourceLikeSymbols() {
    return ltSymbols - ldpcSymbols;
  }

  private static boolean isPrime(int number) {
    for (int divisor = 2; divisor * divisor <= number; divisor++) {
      if (number % divisor == 0) {
        return false;
      }
    }
    return number > 1;
  }
}
