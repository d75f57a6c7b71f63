package io.hypersync.leader.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.leader.leadership.LeaderGate;
import io.hypersync.runtime.admin.UserError;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which admin commands act as the leader: a new one is refused here until somebody has decided. */
final class AdminSurfaceTest {
  private static final Map<String, Boolean> ACTS =
      Map.ofEntries(
          Map.entry("log", false),
          Map.entry("who", false),
          Map.entry("hazards", false),
          Map.entry("reservations", false),
          Map.entry("peers", false),
          Map.entry("events", false),
          Map.entry("locks", false),
          Map.entry("stages", false),
          Map.entry("diff", false),
          Map.entry("message", true),
          Map.entry("place", true),
          Map.entry("snapshot", true),
          Map.entry("certs", true),
          Map.entry("gc", true),
          Map.entry("scrub", true),
          Map.entry("backup", true),
          Map.entry("restore", true),
          Map.entry("undo", true),
          Map.entry("visibility", true));

  private static final LeaderGate CLOSED =
      new LeaderGate() {
        @Override
        public boolean isLeader() {
          return false;
        }

        @Override
        public void onLost(Consumer<String> then) {
          then.accept("for a test");
        }
      };

  @Test
  void theTableIsComplete() {
    assertEquals(
        ACTS,
        Arrays.stream(AdminSurface.values())
            .collect(Collectors.toMap(AdminSurface::command, AdminSurface::acts)));
  }

  @ParameterizedTest
  @EnumSource(AdminSurface.class)
  void whoDoesNotLeadAnswersOnlyWhatDoesNotAct(AdminSurface surface) {
    AtomicInteger answered = new AtomicInteger();
    Runnable ask =
        () -> {
          var _ =
              surface
                  .behind(
                      CLOSED,
                      args -> {
                        answered.incrementAndGet();
                        return args;
                      })
                  .run(JsonNodeFactory.instance.objectNode());
        };
    if (surface.acts()) {
      UserError refused = assertThrows(UserError.class, ask::run);
      assertTrue(refused.hint().contains("./hypersync leadership"), refused.hint());
      assertEquals(0, answered.get());
    } else {
      ask.run();
      assertEquals(1, answered.get());
    }
  }

  @ParameterizedTest
  @EnumSource(AdminSurface.class)
  void whoLeadsAnswersAll(AdminSurface surface) {
    var _ =
        surface.behind(LeaderGate.ALONE, args -> args).run(JsonNodeFactory.instance.objectNode());
  }
}
