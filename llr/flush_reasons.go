package llr

// FlushReasons returns every text that FlushReason returns but "".
func FlushReasons() []string {
	return []string{flushReplayCount, flushPCSLost, flushDataAge, flushTooLong, flushNotResumed}
}
