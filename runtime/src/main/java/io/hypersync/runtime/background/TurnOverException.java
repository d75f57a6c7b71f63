package io.hypersync.runtime.background;

/** Another replica may be at work by now: a job that runs by turns ends, and is tried again. */
public final class TurnOverException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** For the job that has to end. */
  public TurnOverException() {
    super(BackgroundTurn.OF_OTHERS);
  }
}
