package io.hypersync.leader.standby;

import io.hypersync.wire.message.StandbyStanding;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the leader has told a standby about who waits for it (hypersync.md 19, decision 060): by
 * this a promotion knows whether anything that was acknowledged may be missing.
 *
 * @param aloneAfterMs the leader goes on without the standby if it is silent for so long; 0 if the
 *     leader never does, or does not wait at all
 */
public record Waited(State state, int aloneAfterMs) {
  /** The leader does not wait. */
  public static final Waited NOT = new Waited(State.NO, 0);

  /** No leader has said yet: more may have been acknowledged than is here. */
  static final Waited UNKNOWN = new Waited(State.INCOMPLETE, 0);

  /** How much of what was acknowledged is here. */
  public enum State {
    /** The leader acknowledges without this standby. */
    NO,
    /** The leader waits for it, and has acknowledged something that is not here, or may have. */
    INCOMPLETE,
    /** All of it is here: at least as long as the leader was heard. */
    SYNCHRONOUS;

    /** As it is stored. */
    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What may be missing if this standby is promoted. */
  public enum Loss {
    /** Nothing. */
    NONE,
    /** What the leader has acknowledged in its last moments. */
    LAST_MOMENTS,
    /** All since the leader had gone on alone, if it has. */
    SINCE_ALONE,
    /** Something that was acknowledged before this standby had caught up. */
    NOT_CAUGHT_UP;

    /** Whether a person must agree before it is promoted. */
    public boolean needsConsent() {
      return this == SINCE_ALONE || this == NOT_CAUGHT_UP;
    }

    /** In JSON. */
    public String text() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** What {@link #text} has written; the worst if it is anything else. */
    public static Loss of(String text) {
      for (Loss each : values()) {
        if (each.text().equals(text)) {
          return each;
        }
      }
      return NOT_CAUGHT_UP;
    }
  }

  /** What holds when the leader has said this. */
  Waited after(@Nullable StandbyStanding standing) {
    if (standing == null) {
      return NOT;
    }
    State next =
        switch (standing.mark()) {
          case INCOMPLETE -> State.INCOMPLETE;
          case AS_BEFORE -> state == State.SYNCHRONOUS ? State.SYNCHRONOUS : State.INCOMPLETE;
          case SYNCHRONOUS -> State.SYNCHRONOUS;
        };
    return new Waited(next, standing.aloneAfterMs());
  }

  /** What may be missing here. */
  public Loss loss() {
    return switch (state) {
      case NO -> Loss.LAST_MOMENTS;
      case INCOMPLETE -> Loss.NOT_CAUGHT_UP;
      case SYNCHRONOUS -> aloneAfterMs == 0 ? Loss.NONE : Loss.SINCE_ALONE;
    };
  }
}
