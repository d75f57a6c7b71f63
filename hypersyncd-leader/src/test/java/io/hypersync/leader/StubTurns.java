package io.hypersync.leader;

import io.hypersync.runtime.background.BackgroundJob;
import io.hypersync.runtime.background.BackgroundTurns;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns that a test gives and takes. */
public final class StubTurns implements BackgroundTurns {
  /** Whether it is this replica's turn. */
  public boolean isOurs = true;

  /** The jobs that have asked, and those that have ended. */
  public final List<String> asked = new ArrayList<>();

  public final List<String> ended = new ArrayList<>();

  @Override
  public boolean begins(BackgroundJob job) {
    asked.add(job.text());
    return isOurs;
  }

  @Override
  public boolean goesOn(BackgroundJob job) {
    return isOurs;
  }

  @Override
  public void ended(BackgroundJob job) {
    ended.add(job.text());
  }

  @Override
  public @Nullable Standing standing() {
    return null;
  }
}
