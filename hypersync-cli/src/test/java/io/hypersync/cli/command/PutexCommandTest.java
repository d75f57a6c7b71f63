package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.Invocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of a putex that cannot run. */
class PutexCommandTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          putex --store=nats://x                                  | <service>
          putex a/b --store=nats://x                              | <service>
          putex team --store=                                     | --store is missing
          putex team --store=http://x                             | expected nats://
          putex team --store=nats://x --bucket=a.b                | --bucket
          putex team --store=nats://x --key=a*                    | --key
          putex team --store=nats://x --credentials=/not/there    | --credentials
          putex team --store=nats://x --token=                    | --token
          putex team --store=nats://x -R=99                       | R must be
          putex team --store=nats://x -R=9223372036854775807      | R must be
          putex team --store=nats://x -F=0                        | F must be
          putex team --store=nats://x -C=0                        | C must be
          putex team --store=nats://x --start=true                | --check, --start and --stop
          """)
  void aMisuseIsOneSentence(String line, String said) {
    Invocation misuse = Invocation.of(line.split(" +", -1));
    assertEquals(2, misuse.exitCode(), misuse.err());
    assertTrue(misuse.err().contains(said), misuse.err());
  }

  @Test
  void whereNoAgentRunsThatIsSaid() {
    assertEquals(
        "No agent of a process mutex runs here.\n",
        Invocation.of("putex", "status", "--run-dir=/not/there").out());
    Invocation missing = Invocation.of("putex", "status", "team", "--run-dir=/not/there");
    assertEquals(1, missing.exitCode());
    assertTrue(missing.err().contains("no agent of team runs on this host"), missing.err());
  }
}
