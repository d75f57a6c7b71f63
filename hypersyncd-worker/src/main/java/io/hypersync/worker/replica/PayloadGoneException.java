package io.hypersync.worker.replica;

/**
 * An entry has come without its payload, and the call that had it was given up. The leader sends it
 * with its payload on the next connection.
 */
public final class PayloadGoneException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PayloadGoneException(long index) {
    super("entry " + index + " came without the bytes of a call that was given up");
  }
}
