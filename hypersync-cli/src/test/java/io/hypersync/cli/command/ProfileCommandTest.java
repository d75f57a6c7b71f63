package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.Invocation;
import io.hypersync.runtime.admin.AdminCommand;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code profile} of a worker whose answers are scripted. */
final class ProfileCommandTest {
  @TempDir Path run;

  /** A worker that has lost the profile when it is to be stopped. */
  private AdminServer powerLossWorker() {
    AdminCommand status =
        _ ->
            JsonNodeFactory.instance
                .objectNode()
                .put("role", "worker")
                .put("worker_id", "fmd")
                .put("workspace", "00112233445566778899aabbccddeeff")
                .put("mount", run.toString());
    AdminCommand profile =
        args -> {
          if (args.path("do").asText().equals("stop")) {
            throw new UserError("there is no profile 1", "Begin it anew.");
          }
          return JsonNodeFactory.instance.objectNode().put("profile", 1);
        };
    return AdminServer.start(
        run.resolve("worker-00112233-fmd.sock"),
        Map.of(
            "status",
            status,
            "profile",
            profile,
            "stages",
            _ -> JsonNodeFactory.instance.objectNode()));
  }

  @Test
  void aReportThatIsLostIsAFailureAndWithJsonJsonToo() throws IOException {
    try (AdminServer _ = powerLossWorker()) {
      Invocation lost =
          Invocation.of(
              "profile", "--json", "--run-dir", run.toString(), run.toString(), "--", "true");
      assertEquals(1, lost.exitCode(), lost.err());
      String message = "there is no report: there is no profile 1; the command ended with 0";
      assertTrue(lost.err().contains("hypersync: " + message + "\n  Begin it anew.\n"), lost.err());
      JsonNode error = new ObjectMapper().readTree(lost.out()).path("error");
      assertEquals(message, error.path("message").asText());
      assertEquals(1, error.path("exit_code").asInt());
    }
  }
}
