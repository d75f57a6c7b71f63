package io.hypersync.worker.fuse.protocol;

/** A message is cut short or has wrong sizes. Never leaves the decoder. */
final class MalformedMessageException extends Exception {
  private static final long serialVersionUID = 1L;

  MalformedMessageException(String message) {
    super(message, null, false, false);
  }
}
