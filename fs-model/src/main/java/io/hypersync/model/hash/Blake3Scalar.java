package io.hypersync.model.hash;

/** BLAKE3 in plain integer arithmetic. Vector code is verified against it. */
final class Blake3Scalar extends Blake3Chain {
  static final Blake3Scalar INSTANCE = new Blake3Scalar();

  private Blake3Scalar() {}

  /**
   * All state is in local variables: an array would be garbage after every call and be kept in
   * memory instead of registers. The seven rounds are a loop that permutes the message words, which
   * was measured to take two thirds of the time of the unrolled form.
   */
  @Override
  Hash compress(
      Hash value,
      byte[] data,
      int position,
      int lastPosition,
      long last01,
      long last23,
      long last45,
      long last67,
      long last89,
      long lastAB,
      long lastCD,
      long lastEF,
      int counter,
      int lastLength,
      int firstFlags,
      int lastFlags) {
    int h0 = even(value.w0());
    int h1 = odd(value.w0());
    int h2 = even(value.w1());
    int h3 = odd(value.w1());
    int h4 = even(value.w2());
    int h5 = odd(value.w2());
    int h6 = even(value.w3());
    int h7 = odd(value.w3());
    int flags = firstFlags;
    for (int at = position; ; at += BLOCK_BYTES) {
      boolean last = at >= lastPosition;
      long m01 = last ? last01 : (long) LONG.get(data, at + 0);
      long m23 = last ? last23 : (long) LONG.get(data, at + 8);
      long m45 = last ? last45 : (long) LONG.get(data, at + 16);
      long m67 = last ? last67 : (long) LONG.get(data, at + 24);
      long m89 = last ? last89 : (long) LONG.get(data, at + 32);
      long mAB = last ? lastAB : (long) LONG.get(data, at + 40);
      long mCD = last ? lastCD : (long) LONG.get(data, at + 48);
      long mEF = last ? lastEF : (long) LONG.get(data, at + 56);
      int m0 = (int) m01;
      int m1 = (int) (m01 >>> Integer.SIZE);
      int m2 = (int) m23;
      int m3 = (int) (m23 >>> Integer.SIZE);
      int m4 = (int) m45;
      int m5 = (int) (m45 >>> Integer.SIZE);
      int m6 = (int) m67;
      int m7 = (int) (m67 >>> Integer.SIZE);
      int m8 = (int) m89;
      int m9 = (int) (m89 >>> Integer.SIZE);
      int m10 = (int) mAB;
      int m11 = (int) (mAB >>> Integer.SIZE);
      int m12 = (int) mCD;
      int m13 = (int) (mCD >>> Integer.SIZE);
      int m14 = (int) mEF;
      int m15 = (int) (mEF >>> Integer.SIZE);
      int v0 = h0;
      int v1 = h1;
      int v2 = h2;
      int v3 = h3;
      int v4 = h4;
      int v5 = h5;
      int v6 = h6;
      int v7 = h7;
      int v8 = IV0;
      int v9 = IV1;
      int v10 = IV2;
      int v11 = IV3;
      int v12 = counter;
      int v13 = 0;
      int v14 = last ? lastLength : BLOCK_BYTES;
      int v15 = last ? flags | lastFlags : flags;
      for (int round = 0; ; round++) {
        v0 += v4 + m0;
        v12 = Integer.rotateRight(v12 ^ v0, 16);
        v8 += v12;
        v4 = Integer.rotateRight(v4 ^ v8, 12);
        v0 += v4 + m1;
        v12 = Integer.rotateRight(v12 ^ v0, 8);
        v8 += v12;
        v4 = Integer.rotateRight(v4 ^ v8, 7);
        v1 += v5 + m2;
        v13 = Integer.rotateRight(v13 ^ v1, 16);
        v9 += v13;
        v5 = Integer.rotateRight(v5 ^ v9, 12);
        v1 += v5 + m3;
        v13 = Integer.rotateRight(v13 ^ v1, 8);
        v9 += v13;
        v5 = Integer.rotateRight(v5 ^ v9, 7);
        v2 += v6 + m4;
        v14 = Integer.rotateRight(v14 ^ v2, 16);
        v10 += v14;
        v6 = Integer.rotateRight(v6 ^ v10, 12);
        v2 += v6 + m5;
        v14 = Integer.rotateRight(v14 ^ v2, 8);
        v10 += v14;
        v6 = Integer.rotateRight(v6 ^ v10, 7);
        v3 += v7 + m6;
        v15 = Integer.rotateRight(v15 ^ v3, 16);
        v11 += v15;
        v7 = Integer.rotateRight(v7 ^ v11, 12);
        v3 += v7 + m7;
        v15 = Integer.rotateRight(v15 ^ v3, 8);
        v11 += v15;
        v7 = Integer.rotateRight(v7 ^ v11, 7);
        v0 += v5 + m8;
        v15 = Integer.rotateRight(v15 ^ v0, 16);
        v10 += v15;
        v5 = Integer.rotateRight(v5 ^ v10, 12);
        v0 += v5 + m9;
        v15 = Integer.rotateRight(v15 ^ v0, 8);
        v10 += v15;
        v5 = Integer.rotateRight(v5 ^ v10, 7);
        v1 += v6 + m10;
        v12 = Integer.rotateRight(v12 ^ v1, 16);
        v11 += v12;
        v6 = Integer.rotateRight(v6 ^ v11, 12);
        v1 += v6 + m11;
        v12 = Integer.rotateRight(v12 ^ v1, 8);
        v11 += v12;
        v6 = Integer.rotateRight(v6 ^ v11, 7);
        v2 += v7 + m12;
        v13 = Integer.rotateRight(v13 ^ v2, 16);
        v8 += v13;
        v7 = Integer.rotateRight(v7 ^ v8, 12);
        v2 += v7 + m13;
        v13 = Integer.rotateRight(v13 ^ v2, 8);
        v8 += v13;
        v7 = Integer.rotateRight(v7 ^ v8, 7);
        v3 += v4 + m14;
        v14 = Integer.rotateRight(v14 ^ v3, 16);
        v9 += v14;
        v4 = Integer.rotateRight(v4 ^ v9, 12);
        v3 += v4 + m15;
        v14 = Integer.rotateRight(v14 ^ v3, 8);
        v9 += v14;
        v4 = Integer.rotateRight(v4 ^ v9, 7);
        if (round == 6) {
          break;
        }
        int p0 = m2;
        int p1 = m6;
        int p2 = m3;
        int p3 = m10;
        int p4 = m7;
        int p5 = m0;
        int p6 = m4;
        int p7 = m13;
        int p8 = m1;
        int p9 = m11;
        int p10 = m12;
        int p11 = m5;
        int p12 = m9;
        int p13 = m14;
        int p14 = m15;
        int p15 = m8;
        m0 = p0;
        m1 = p1;
        m2 = p2;
        m3 = p3;
        m4 = p4;
        m5 = p5;
        m6 = p6;
        m7 = p7;
        m8 = p8;
        m9 = p9;
        m10 = p10;
        m11 = p11;
        m12 = p12;
        m13 = p13;
        m14 = p14;
        m15 = p15;
      }
      h0 = v0 ^ v8;
      h1 = v1 ^ v9;
      h2 = v2 ^ v10;
      h3 = v3 ^ v11;
      h4 = v4 ^ v12;
      h5 = v5 ^ v13;
      h6 = v6 ^ v14;
      h7 = v7 ^ v15;
      if (last) {
        return new Hash(pack(h0, h1), pack(h2, h3), pack(h4, h5), pack(h6, h7));
      }
      flags = 0;
    }
  }
}
