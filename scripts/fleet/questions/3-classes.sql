-- SPDX-License-Identifier: MIT
-- Which functions take most on each class of hosts?
SELECT host_class, parse_filename(object) AS program, function, sum(hits) AS samples,
       round(100 * sum(hits) / sum(sum(hits)) OVER (PARTITION BY host_class), 2) AS percent
FROM counts
GROUP BY host_class, program, function
QUALIFY row_number() OVER (PARTITION BY host_class ORDER BY samples DESC, program, function) <= 5
ORDER BY host_class, samples DESC, program, function;
