/**
 * A linear classifier over the mean of the vectors of a text's n-grams, learned by stochastic gradient descent.
 * Source: Joulin et al., Bag of Tricks for Efficient Text Classification, 2016.
 * @param {number} classes
 * @param {number} bits there are 2^bits buckets
 * @param {number} dimensions
 * @param {() => number} random
 */
export function classifier(classes, bits, dimensions, random) {
  const embeddings = Float32Array.from(
    { length: 2 ** bits * dimensions },
    () => (random() - 0.5) / dimensions,
  );
  const outputs = new Float32Array(classes * dimensions);
  const mean = new Float32Array(dimensions);
  const gradient = new Float32Array(dimensions);
  const scores = new Float64Array(classes);

  /** @param {Uint32Array} buckets */
  function setMean(buckets) {
    mean.fill(0);
    for (const bucket of buckets)
      for (let d = 0; d < dimensions; d++) mean[d] += embeddings[bucket * dimensions + d];
    for (let d = 0; d < dimensions; d++) mean[d] /= buckets.length;
  }

  /** Sets the scores to the probabilities of the classes. */
  function setProbabilities() {
    let most = Number.NEGATIVE_INFINITY;
    for (let c = 0; c < classes; c++) {
      let score = 0;
      for (let d = 0; d < dimensions; d++) score += mean[d] * outputs[c * dimensions + d];
      scores[c] = score;
      most = Math.max(most, score);
    }
    let all = 0;
    for (let c = 0; c < classes; c++) {
      scores[c] = Math.exp(scores[c] - most);
      all += scores[c];
    }
    for (let c = 0; c < classes; c++) scores[c] /= all;
  }

  return {
    embeddings,
    outputs,
    /**
     * Learns one text and returns its loss, the negative logarithm of the probability of its class before.
     * @param {Uint32Array} buckets
     * @param {number} right the text's class
     * @param {number} rate
     */
    learn(buckets, right, rate) {
      setMean(buckets);
      setProbabilities();
      gradient.fill(0);
      for (let c = 0; c < classes; c++) {
        const error = rate * ((c === right ? 1 : 0) - scores[c]);
        if (Math.abs(error) < 1e-7) continue;
        for (let d = 0; d < dimensions; d++) {
          const at = c * dimensions + d;
          gradient[d] += error * outputs[at];
          outputs[at] += error * mean[d];
        }
      }
      for (let d = 0; d < dimensions; d++) gradient[d] /= buckets.length;
      for (const bucket of buckets)
        for (let d = 0; d < dimensions; d++) embeddings[bucket * dimensions + d] += gradient[d];
      return -Math.log(scores[right] + 1e-12);
    },
  };
}
