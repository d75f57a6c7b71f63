package io.hypersync.worker.fuse.session;

import io.hypersync.worker.fuse.abi.InitFlag;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.FuseRequestDecoder;
import java.nio.ByteBuffer;
import java.util.Set;

/**
 * A session without a device and without threads: whoever has a request hands it over, and the
 * caller's thread decodes and handles it as a reader of {@link FuseSession} does.
 */
public final class DirectSession {
  private final RequestDispatcher dispatcher;
  private final KernelChannel replies;

  /**
   * A session in which nothing was requested yet.
   *
   * @param agreed what the requests were negotiated with
   * @param replies what the handler answers is sent there; nothing is received from it
   */
  public DirectSession(Set<InitFlag> agreed, FuseHandler handler, KernelChannel replies) {
    this.dispatcher =
        new RequestDispatcher(
            new FuseRequestDecoder(agreed), handler, new InFlightTable(), new FuseCounters());
    this.replies = replies;
  }

  /**
   * Handles one message; it may be answered later.
   *
   * @param message from position to limit; used until this returns
   */
  public void handle(ByteBuffer message) {
    dispatcher.dispatch(message, replies);
  }
}
