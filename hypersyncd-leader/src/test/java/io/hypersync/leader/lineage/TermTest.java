package io.hypersync.leader.lineage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The term of a leader, and how it is stored. */
final class TermTest {
  @Test
  void aTakeoverBeginsTheNextOne() {
    assertEquals(new Term(1), Term.FIRST.next());
    assertThrows(IllegalArgumentException.class, () -> new Term(Term.MAX).next());
    assertThrows(IllegalArgumentException.class, () -> new Term(-1));
  }

  @Test
  void itIsReadAsItWasStored() {
    assertEquals("hypersync-term: 1\nterm: 3\n", new Term(3).toText());
    for (Term term : new Term[] {Term.FIRST, new Term(3), new Term(Term.MAX)}) {
      assertEquals(term, Term.parse(term.toText()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "garbage",
        "hypersync-term: 2\nterm: 3\n",
        "hypersync-term: 1\nterm: 3",
        "hypersync-term: 1\nterm: 3\nmore\n",
        "hypersync-term: 1\nterm: -3\n",
        "hypersync-term: 1\nterm: +3\n",
        "hypersync-term: 1\nterm: 03\n",
        "hypersync-term: 1\nterm: 9223372036854775808\n",
        "hypersync-term: 1\nterm: 4611686018427387905\n",
        "hypersync-term: 1\nterm: \n"
      })
  void anythingElseIsNone(String text) {
    assertNull(Term.parse(text));
  }
}
