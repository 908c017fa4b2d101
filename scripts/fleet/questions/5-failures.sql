-- SPDX-License-Identifier: MIT
-- What became of the recordings of each class?
SELECT host_class, state, error, count(*) AS recordings, sum(samples) AS samples, sum(profile_bytes) AS profile_bytes,
       round(avg(seconds), 3) AS seconds_each
FROM recordings
GROUP BY ALL
ORDER BY ALL;
