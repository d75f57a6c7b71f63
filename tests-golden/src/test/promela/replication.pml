/*
 * A leader and its synchronous standby: what is acknowledged, and who may take over. No time and no
 * order is assumed: a takeover comes at any moment, the former leader may run on, messages are
 * late. So what holds here rests on terms and on the rule for acknowledgements, never on clocks.
 *
 * A leader writes an entry, syncs it and sends it. The standby writes it, syncs it and says so. Then
 * the leader acknowledges it. A takeover makes a term that is larger than all before, from the
 * record by which hosts agree. A standby that connects learns the leader's term, cuts off what the
 * leader's log does not have, and catches up; it is complete when it has all that the leader may
 * have acknowledged. A standby can be replaced by an empty one.
 *
 * Checked:
 *   - no acknowledged entry is lost: who takes over has it, and no index is acknowledged twice
 *   - at most one leader acts: what is written by a leader after the next one's takeover is never
 *     acknowledged; no two takeovers have one term
 *   - somebody can always lead: one of both is complete
 *
 * Each of these makes a wrong program, which must be found:
 *   ACK_WITHOUT_STANDBY        the leader acknowledges what it has synced itself
 *   ACK_BEFORE_STANDBY_SYNCS   the standby says so before its sync
 *   GAP_IGNORED                a standby that is not complete takes over
 *   LOWER_TERM_ACCEPTED        a standby connects to a leader with a lower term
 *   TERM_NOT_SYNCED            a takeover's term is lost by a crash
 *   TERM_FROM_OWN_STATE        the next term is one more than its own, not one more than all
 *   DIVERGED_TAIL_KEPT         a standby that connects does not compare what it has
 *   REPLACED_UNASKED           a host is emptied though the other one is not complete
 */
#define INDEXES 3
#define TERMS 4
#define NOBODY 2

typedef Log {
    byte entry[INDEXES]; /* who wrote it, and in which term; an entry is that and its index */
    byte length;
    byte synced          /* so many survive a crash */
};

Log log[2];
byte term[2];        /* the largest that it knows of */
byte synced_term[2]; /* that which survives a crash */
bool complete[2];    /* it has all that may have been acknowledged */
byte target[2];      /* of a standby: complete as soon as it is so long */
bool leads[2];
bool runs[2];
bool late[INDEXES * 2]; /* by host and index: written by a leader after the next one's takeover */
byte connected = NOBODY; /* the leader to which the other one is connected as its standby */
byte in_flight = 0;  /* "so many are synced", from the standby of... */
byte in_flight_to = NOBODY;
byte in_flight_term = 0;

byte turn = NOBODY;  /* whose the record is */
byte newest_term = 0;
byte term_of[TERMS + 1]; /* who has had it */
byte acked[INDEXES]; /* the entry that was acknowledged; 0: none */

byte i = 0; /* of loops; 0 between steps */

#define other(h) (1 - h)
#define written_by(h) (2 * term[h] + h)
#define stands_by(h) (runs[h] && !leads[h])

inline keeps_the_acknowledged(who) {
    for (i : 0 .. INDEXES - 1) {
        assert(acked[i] == 0
            || (i < log[who].length && log[who].entry[i] == acked[i]))
    }
    i = 0
}

inline acknowledge(leader, upto) {
    for (i : 0 .. INDEXES - 1) {
        if
        :: i < upto && i < log[leader].length ->
            assert(acked[i] == 0 || acked[i] == log[leader].entry[i]);
            assert(!late[INDEXES * leader + i]);
            acked[i] = log[leader].entry[i]
        :: else
        fi
    }
    i = 0
}

inline take_over(next) {
    turn = next;
#ifdef TERM_FROM_OWN_STATE
    term[next] = term[next] + 1;
    if :: term[next] > newest_term -> newest_term = term[next] :: else fi;
#else
    newest_term++;
    term[next] = newest_term;
#endif
#ifndef TERM_NOT_SYNCED
    synced_term[next] = term[next];
#endif
    assert(term_of[term[next]] == 0 || term_of[term[next]] == next + 1);
    term_of[term[next]] = next + 1;
    keeps_the_acknowledged(next);
    leads[next] = true;
    complete[next] = true;
    connected = NOBODY;
    for (i : 0 .. INDEXES - 1) {
        late[INDEXES * next + i] = false /* it is of the new leader's history now */
    }
    i = 0
}

/* A standby says who it is, and what it has. */
inline connect(leader, standby) {
    if
#ifndef LOWER_TERM_ACCEPTED
    :: term[standby] > term[leader] -> leads[leader] = false /* it stops at once */
    :: !(term[standby] > term[leader]) ->
#else
    :: true ->
#endif
        term[standby] = term[leader];
        synced_term[standby] = term[leader];
#ifndef DIVERGED_TAIL_KEPT
        i = 0;
        do
        :: (i < log[standby].length && i < log[leader].synced
            && log[standby].entry[i] == log[leader].entry[i]) -> i++
        :: else -> break
        od;
        log[standby].length = i;
        i = 0;
        do
        :: i < INDEXES ->
            if :: i >= log[standby].length -> log[standby].entry[i] = 0 :: else fi;
            late[INDEXES * standby + i] = false;
            i++
        :: else -> break
        od;
        i = 0;
        if
        :: log[standby].synced > log[standby].length -> log[standby].synced = log[standby].length
        :: else
        fi;
#endif
        target[standby] = log[leader].synced;
        complete[standby] = log[standby].synced >= target[standby];
        connected = leader;
        assert(complete[0] || complete[1])
    fi
}

inline crash(one) {
    runs[one] = false;
    leads[one] = false;
    connected = NOBODY;
    for (i : 0 .. INDEXES - 1) {
        if
        :: i >= log[one].synced -> log[one].entry[i] = 0; late[INDEXES * one + i] = false
        :: else
        fi
    }
    i = 0;
    log[one].length = log[one].synced;
    term[one] = synced_term[one];
    /* What was sent to it is lost with the connection. */
    if
    :: in_flight_to == one -> in_flight_to = NOBODY; in_flight = 0; in_flight_term = 0
    :: else
    fi
}

proctype host(byte h) {
    do
    /* An intent arrives. */
    :: d_step {
        leads[h] && log[h].length < INDEXES ->
        log[h].entry[log[h].length] = written_by(h);
        late[INDEXES * h + log[h].length] = turn != h;
        log[h].length++ }
    :: d_step {
        runs[h] && log[h].synced < log[h].length ->
        log[h].synced = log[h].length;
#ifdef ACK_WITHOUT_STANDBY
        if :: leads[h] -> acknowledge(h, log[h].synced) :: else fi;
#endif
        if
        :: log[h].synced >= target[h] && connected == other(h) -> complete[h] = true
        :: else
        fi }
    /* The standby gets the next entry. */
    :: d_step {
        connected == other(h) && stands_by(h) && log[h].length < log[other(h)].synced ->
        log[h].entry[log[h].length] = log[other(h)].entry[log[h].length];
        log[h].length++ }
    /* It says what it has. */
    :: d_step {
        connected == other(h) && stands_by(h) && in_flight_to == NOBODY ->
        in_flight_to = other(h);
        in_flight_term = term[h];
#ifdef ACK_BEFORE_STANDBY_SYNCS
        in_flight = log[h].length }
#else
        in_flight = log[h].synced }
#endif
    /* The leader hears that, be it late. */
    :: d_step {
        in_flight_to == h ->
        if
        :: leads[h] && in_flight_term == term[h] && in_flight <= log[h].synced ->
            acknowledge(h, in_flight)
        :: else
        fi;
        in_flight_to = NOBODY; in_flight = 0; in_flight_term = 0 }
    :: d_step { leads[h] && stands_by(other(h)) && connected == NOBODY -> connect(h, other(h)) }
    :: d_step { connected == h -> connected = NOBODY }
    /* The record changes hands, whatever its former holder does. */
    :: d_step {
#ifdef GAP_IGNORED
        stands_by(h) && turn != h && newest_term < TERMS ->
#else
        stands_by(h) && complete[h] && turn != h && newest_term < TERMS ->
#endif
        take_over(h) }
    /* A leader whose record was taken is stopped by its agent, some time. */
    :: d_step { leads[h] && turn != h -> leads[h] = false; connected = NOBODY }
    :: d_step { runs[h] -> crash(h) }
    :: d_step { !runs[h] -> runs[h] = true }
    /* A leader that starts again goes on in its term, if nobody has taken over. */
    :: d_step { !runs[h] && turn == h && complete[h] -> runs[h] = true; leads[h] = true }
    /* A standby is replaced by an empty one, if the other host has everything. */
    :: d_step {
#ifdef REPLACED_UNASKED
        !leads[h] ->
#else
        !leads[h] && turn != h && complete[other(h)] ->
#endif
        crash(h);
        log[h].length = 0; log[h].synced = 0; term[h] = 0; synced_term[h] = 0;
        complete[h] = false;
        assert(complete[0] || complete[1]);
        for (i : 0 .. INDEXES - 1) {
            log[h].entry[i] = 0;
            late[INDEXES * h + i] = false
        }
        i = 0 }
    od
}

init {
    atomic {
        runs[0] = true; runs[1] = true;
        complete[0] = true;
        run host(0);
        run host(1)
    }
}
