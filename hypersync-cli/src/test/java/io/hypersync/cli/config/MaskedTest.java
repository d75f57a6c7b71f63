package io.hypersync.cli.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets in each way in which they are written, and what is none. */
class MaskedTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "nats://u:p@host:4222                | nats://***@host:4222",
        "nats://u:p@ss@host                  | nats://***@host",
        "nats://u:p/w@host/a                 | nats://***@host/a",
        "nats://u:p?w@host                   | nats://***",
        "nats://u:p#w@host                   | nats://***",
        "nats://u:p,w@host                   | nats://***@host",
        "nats://u:p'w@host                   | nats://***@host",
        "nats://u:p@a:1,tls://v:q@b:2        | nats://***@a:1,tls://***@b:2",
        "\"nats://u:p@a\", \"me@b\"          | \"nats://***@a\", \"me@b\"",
        "{\\\"u\\\":\\\"http://h/?k=1\\\"}   | {\\\"u\\\":\\\"http://h/?***\\\"}",
        "http://h/ and me@b                  | http://h/ and me@b",
      })
  void ofAddresses(String text, String without) {
    assertEquals(without, Masked.text(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "password: \"two words\", x          | password: \"***\", x",
        "password: 'two words', x            | password: '***', x",
        "password = \"a\\\"b c\" x           | password = \"***\" x",
        "password: \"never closed, x         | password: \"***",
        "{\"m\":\"password=\\\"a b\\\" x\"}  | {\"m\":\"password=\\\"***\\\" x\"}",
        "{\\\"token\\\":\\\"a\\\\\\\"b\\\"}  | {\\\"token\\\":\\\"***\\\"}",
        "{\"m\":\"password=abc\",\"n\":1}    | {\"m\":\"password=***\",\"n\":1}",
        "password=ab\"cd x                   | password=*** x",
        "username=u,password=a,b 0 0         | username=u,password=*** 0 0",
        "secret-key=abc                      | secret-key=***",
        "authToken: Bearer abc x             | authToken: *** x",
        "Authorization: Basic dTpw           | Authorization: Basic ***",
        "authorization=[Basic dTpw] x        | authorization=[Basic ***] x",
        "\"Authorization\": \"Basic dTpw\"   | \"Authorization\": \"***\"",
        "Proxy-Authorization: Digest a=\"b\", c=\"d\" | Proxy-Authorization: ***\"",
        "Set-Cookie: a=b; c=d                | Set-Cookie: ***",
        "{\"m\":\"Cookie: a=b; c=d\",\"n\":1} | {\"m\":\"Cookie: ***\",\"n\":1}",
        "password=***abc                     | password=***",
        "password=\"\"                       | password=\"\"",
        "token_file is /etc/x, 3 tokens      | token_file is /etc/x, 3 tokens",
      })
  void behindNames(String text, String without) {
    assertEquals(without, Masked.text(text));
  }

  @Test
  void whatIsMaskedStaysAsItIs() {
    String once = Masked.text("token=abc Authorization: Bearer def", "[left out]");
    assertEquals("token=[left out] Authorization: Bearer [left out]", once);
    assertEquals(once, Masked.text(once, "[left out]"));
  }

  @Test
  void namesOfSecrets() {
    for (String name : List.of("token", "nats_password", "apiKey", "Authorization")) {
      assertTrue(Masked.isNameOfSecret(name), name);
    }
    for (String name : List.of("token_file", "passwords_left", "key", "path")) {
      assertFalse(Masked.isNameOfSecret(name), name);
    }
  }

  /** Somebody else's line must neither take for ever nor overflow the stack. */
  @ParameterizedTest
  @ValueSource(
      strings = {"://", "a,", "token=", "\\", "\\\"", "password=\"a\\", "x://a,", "@", "-."})
  void longTextsTakeTheirTimeAndNoMore(String part) {
    String text = "http://password=\"" + part.repeat(500_000 / part.length());
    assertTimeoutPreemptively(Duration.ofSeconds(10), () -> Masked.text(text));
  }
}
