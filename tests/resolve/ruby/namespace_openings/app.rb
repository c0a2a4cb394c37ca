class Mine
  include Shop::Job
  #             ^ -> lib/shop/job.rb#Shop.Job
  def go; run; end
  #       ^ -> lib/shop/job.rb#Shop.Job.run
end
Shop::Job::Inner.new
#     ^ -> lib/shop/job.rb#Shop.Job
#          ^ -> lib/shop/job/inner.rb#Shop.Job.Inner
